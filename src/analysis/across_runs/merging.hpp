#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/across_runs/measured_run.hpp"
#include "analysis/across_runs/run_differences.hpp"
#include "stats/summary.hpp"

namespace fathom::analysis {

/// A point over several runs.
struct MergedPoint {
    PointKey key;
    std::vector<double> medians_ns;    ///< of the runs that have it, in the order of the runs
    std::vector<std::string> missing;  ///< why others do not: `run 3: failed: ...`
    std::int64_t reps = 0;             ///< in all runs
    double median_ns = 0;              ///< of the runs' medians
    double min_ns = 0;                 ///< smallest and largest of them
    double max_ns = 0;
    std::optional<double> relative_spread;          ///< standard deviation by mean; absent for one run
    std::optional<stats::Interval> median_ci95_ns;  ///< Student's over the runs; absent for one run
    std::optional<double> rate_bytes_per_s;

    [[nodiscard]] std::size_t runs() const { return medians_ns.size(); }
};

struct Merging {
    std::vector<MeasuredRun> runs;
    std::vector<std::string> remarks;  ///< in what runs differ that are merged nevertheless
    std::vector<MergedPoint> points;   ///< in the order of the first run that has them
};

/// The median over runs of every point. Runs that do not measure the same thing are refused with a BadInput
/// that says why, unless `anyway`. At least two runs.
Merging merge(std::vector<MeasuredRun> runs, bool anyway);

}  // namespace fathom::analysis
