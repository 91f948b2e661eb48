#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/global_time.hpp"
#include "analysis/sample_time.hpp"
#include "analysis/view.hpp"

namespace fathom::analysis {

/// The repetitions of a point, each with what it counts as.
struct Repetitions {
    std::vector<double> times;  ///< of the valid ones, in their order
    std::int64_t invalid = 0;   ///< on some rank
    std::vector<double> skews;  ///< first to last start on the global clock, of the valid ones
    std::map<int, std::vector<double>> by_rank;  ///< where each rank counts for itself
    /// First and last start of each rank on its own clock.
    std::map<int, std::pair<Nanoseconds, Nanoseconds>> spans;
};

/// Reads them from the store. `over_ranks` is not `auto` here. Skews need a known clock; without one there
/// are none, and a `span` has no times.
Repetitions repetitions_of(const store::Store& store, const store::PointRow& point, const GlobalTime& clock,
                           const std::string& over_ranks, const RankSet& ranks);

}  // namespace fathom::analysis
