#pragma once

#include <compare>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/run/run_result.hpp"

namespace fathom::analysis {

/// The repetitions of a point in one launch.
struct LaunchTimes {
    std::vector<double> times;  ///< of the undisturbed ones, in order; of all if all were disturbed
    std::size_t disturbed = 0;  ///< ranks were preempted around so many
};

/// A run with everything needed to compare it with others.
struct MeasuredRun {
    std::string name;  ///< as messages call it: `run 12`, `old.db run 3`
    RunResult result;
    std::vector<store::RankRow> ranks;   ///< where each was
    std::map<std::string, int> hosts;    ///< processes on each
    store::EnvironmentRows environment;  ///< facts of the job and its hosts
    /// Launch by launch, without those that have no valid repetition; empty if not requested.
    std::map<PointKey, std::vector<LaunchTimes>> times;
};

/// `wanted` lists the other analyses to do while the run is read.
MeasuredRun measured_run(const store::Store& store, const store::RunRow& run, std::string name,
                         bool with_times, const Wanted& wanted = {});

/// `run 12` and `run 15` of one file, or `a.db run 12` and `b.db run 3` of two.
std::vector<std::string> names_of(const std::vector<std::pair<std::string, std::int64_t>>& files_and_runs);

/// The process counts of its points.
std::set<int> procs_of(const MeasuredRun& run);

/// The MPI library and its version, without what follows: `Open MPI v4.1.4`.
std::string library_of(const store::RunRow& run);

}  // namespace fathom::analysis
