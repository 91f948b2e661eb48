#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/run/run_result.hpp"

namespace fathom::analysis {

/// A run with everything needed to compare it with others.
struct MeasuredRun {
    std::string name;  ///< as messages call it: `run 12`, `baseline (run 3)`, `old.db run 3`
    RunResult result;
    std::vector<store::RankRow> ranks;   ///< where each was
    std::map<std::string, int> hosts;    ///< processes on each
    store::EnvironmentRows environment;  ///< facts of the job and its hosts
    /// What the values of points are made of, launch by launch; empty if not requested.
    std::map<PointKey, std::vector<LaunchTimes>> times;
    std::string file = {};                       ///< that it is stored in
    std::vector<std::int64_t> launch_jobs = {};  ///< its launches' places among all of the file
};

/// `wanted` lists the other analyses to do while the run is read.
MeasuredRun measured_run(const store::Store& store, const store::RunRow& run, std::string name,
                         bool with_times, const Wanted& wanted = {});

/// Where a run is stored.
struct RunPlace {
    std::string file;
    std::int64_t run = 0;
    std::string label = {};
};

/// `run 12` and `baseline (run 15)` of one file, or `a.db run 12` and `baseline (b.db run 3)` of two.
std::vector<std::string> names_of(const std::vector<RunPlace>& places);

/// The process counts of its points.
std::set<int> procs_of(const MeasuredRun& run);

/// The MPI library and its version, without what follows: `Open MPI v4.1.4`.
std::string library_of(const store::RunRow& run);

}  // namespace fathom::analysis
