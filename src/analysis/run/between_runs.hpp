#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string_view>

#include "plan/plan.hpp"
#include "plan/point_key.hpp"
#include "stats/between_runs/between_runs.hpp"
#include "store/store.hpp"

namespace fathom::analysis {

/// Where it is known from by how much runs at different times differ.
enum class BetweenRunsSource {
    none,     ///< they do not: simulated, or measured in turn
    given,    ///< --between-runs
    assumed,  ///< too few earlier runs are stored
    learned   ///< from stored runs
};
constexpr std::array<std::string_view, 4> enum_names(BetweenRunsSource /*unused*/) {
    return {"none", "given", "assumed", "learned"};
}

/// What is taken for the standard deviation between runs where nothing shows it, in percent: on the virtual
/// machines at hand a quiet one differs by 0.4 to 1.2 %, and intervals hold beside busy loops
/// (docs/method.md).
inline constexpr double assumed_between_runs_percent = 2;

/// By how much runs of the same thing differ beyond their launches.
struct BetweenRuns {
    BetweenRunsSource source = BetweenRunsSource::none;
    std::size_t runs = 0;          ///< stored ones that it was learned from
    std::size_t changes = 0;       ///< steps between them that are changes rather than variation
    stats::KnownVariance usual{};  ///< of the logarithm of a value
    std::map<plan::PointKey, stats::KnownVariance> points = {};  ///< where they differ from that

    [[nodiscard]] const stats::KnownVariance& of(const plan::PointKey& key) const;
    /// The usual standard deviation, in percent of the time.
    [[nodiscard]] double percent() const;
};

/// What the plan gives, or what the runs of the same kind say that were finished before this one, at most
/// ten: this run itself has no part in what it is measured by. Of runs that took turns only the first counts,
/// and neither rounds of searches nor runs without a value that can be relied on.
BetweenRuns between_runs_of(const store::Store& store, const store::RunRow& run, const plan::Plan& plan);

}  // namespace fathom::analysis
