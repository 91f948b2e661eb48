#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "stats/comparison/bootstrap.hpp"

/// By how much runs of the same thing differ, beyond what their launches explain.
namespace fathom::stats {

/// A variance of logarithms, and the degrees of freedom that it is known with; none: it was given.
struct KnownVariance {
    double value = 0;
    std::optional<double> freedom = {};

    /// Half of the 95 % interval of one normal value with this variance: by Student's factor, or by the
    /// normal one if it was given.
    [[nodiscard]] double reach() const;
};

/// What one run says of one point.
struct RunValue {
    double logarithm = 0;  ///< of its value
    double variance = 0;   ///< of that, by its launches
};

/// One run: the points that have a value, all runs in the same order.
using RunValues = std::vector<std::optional<RunValue>>;

struct BetweenRuns {
    std::vector<KnownVariance> points;  ///< of each point, in their order
    KnownVariance usual;                ///< of a point of which nothing else is known
    std::size_t steps = 0;              ///< from run to run, that it was learned from; none: assumed
    std::size_t rejected = 0;           ///< further ones, which are changes rather than variation
};

/// Learns from runs of so many points, the oldest first. `assumed` is the standard deviation where they say
/// nothing; where they do, it weighs like one step from run to run. Steps from one run to the next count, not
/// distances from a mean: a change of level is in one of them alone, and left out if the others make it
/// unlikely (docs/method.md, "Between runs").
BetweenRuns between_runs(const std::vector<RunValues>& runs, std::size_t points, double assumed);

/// Adds to a ratio of two runs by how much runs differ otherwise: to its interval, its error and its p value.
void include_other_runs(Ratio& ratio, const KnownVariance& first, const KnownVariance& second);

}  // namespace fathom::stats
