#pragma once

#include <optional>
#include <span>

#include "analysis/point/distribution.hpp"
#include "analysis/point/explanation.hpp"
#include "analysis/point/tails.hpp"
#include "analysis/point/timeouts.hpp"

namespace fathom::analysis {

/// Modes and tails of the repetitions that a point's value is made of.
struct CountedTimes {
    Distribution distribution;
    Tails tails;
};

/// What the samples of a point tell, as far as others build on it: insights, notes. Without samples it is
/// empty.
struct PointAnalyses {
    Distribution distribution;
    Tails tails;
    Timeouts timeouts;
    Explanation explanation;
    std::optional<CountedTimes> counted;  ///< where repetitions were set aside, which are in all of the above

    /// What is said without being asked for agrees with the value of the point.
    [[nodiscard]] const Distribution& counted_distribution() const {
        return counted ? counted->distribution : distribution;
    }
    [[nodiscard]] const Tails& counted_tails() const { return counted ? counted->tails : tails; }
};

/// `each`: each rank counts for itself, and the times of all together are looked at.
PointAnalyses analyse(const Repetitions& repetitions, const Evidence& evidence, bool over_tcp, bool each);

/// Of times in their order; nothing is known of none.
CountedTimes analyse_counted(std::span<const double> in_order);

}  // namespace fathom::analysis
