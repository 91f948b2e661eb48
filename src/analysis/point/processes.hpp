#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/samples/repetitions.hpp"

namespace fathom::analysis {

/// What one process took.
struct ProcessTimes {
    int rank = 0;
    std::string host;
    std::size_t count = 0;
    double min_ns = 0;
    double mean_ns = 0;
    double median_ns = 0;
    double max_ns = 0;
    double last_share = 0;  ///< of the repetitions in which it was the last to end
    int group = 0;          ///< place in Processes::groups
};

/// Ranks that take the same time, within their errors.
struct ProcessGroup {
    std::vector<int> ranks;
    double low_ns = 0;  ///< medians, smallest and largest
    double high_ns = 0;
};

/// How processes differ: there is but one, all take the same time, times range without a gap, or there are
/// groups.
enum class ProcessPattern { single, equal, gradual, grouped };
constexpr std::array<std::string_view, 4> enum_names(ProcessPattern /*unused*/) {
    return {"single", "equal", "gradual", "grouped"};
}

/// A point process by process.
struct Processes {
    ProcessPattern pattern = ProcessPattern::single;
    std::vector<ProcessTimes> ranks;   ///< by rank
    std::vector<ProcessGroup> groups;  ///< the fastest first; one if all are equal
    int most_often_last = -1;          ///< -1: none more often than by chance
};

/// Of repetitions that know each rank. Ranks are split into groups where their medians differ by 5 % and by
/// four standard errors of the difference. The process most often last is named if chance among equals
/// produces one so often in at most 1 of 100 points, and if it is so more often than the next.
Processes processes_of(const Repetitions& repetitions, const std::map<int, std::string>& hosts);

}  // namespace fathom::analysis
