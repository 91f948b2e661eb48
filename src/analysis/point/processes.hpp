#pragma once

#include <map>
#include <string>
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

/// A point process by process.
struct Processes {
    std::vector<ProcessTimes> ranks;   ///< by rank
    std::vector<ProcessGroup> groups;  ///< the fastest first; one if all are equal
    int most_often_last = -1;          ///< -1: none more often than by chance
    std::string text;                  ///< the conclusion, in a sentence or two
};

/// Of repetitions that know each rank. Ranks are split into groups where their medians differ by 5 % and by
/// four standard errors of the difference. The process most often last is named if chance among equals
/// produces one so often in at most 1 of 100 points, and if it is so more often than the next.
Processes processes_of(const Repetitions& repetitions, const std::map<int, std::string>& hosts);

}  // namespace fathom::analysis
