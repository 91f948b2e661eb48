#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/across_runs/measured_run.hpp"
#include "analysis/across_runs/run_differences.hpp"
#include "stats/summary.hpp"

namespace fathom::analysis {

/// A run that has no result of a point.
struct MissingPoint {
    std::string run;
    std::optional<PointStatus> status;  ///< of the point there; absent: it is not there; ok: without a time
    std::string reason;                 ///< of the point there, as stored
    std::optional<NoTimes> no_times = {};  ///< or as found
};

/// A point over several runs.
struct MergedPoint {
    PointKey key;
    std::vector<double> medians_ns;     ///< as the runs show them that have it, in the order of the runs
    std::vector<MissingPoint> missing;  ///< the others
    std::int64_t reps = 0;              ///< in all runs
    double median_ns = 0;               ///< of the runs' medians
    double min_ns = 0;                  ///< smallest and largest of them
    double max_ns = 0;
    std::optional<double> relative_spread;          ///< standard deviation by mean; absent for one run
    std::optional<stats::Interval> median_ci95_ns;  ///< Student's over the runs; absent for one run
    std::optional<double> rate_bytes_per_s;
    Quality quality = Quality::good;  ///< the worst of the runs that have it

    [[nodiscard]] std::size_t runs() const { return medians_ns.size(); }
};

/// How a run differs from the first.
struct MergedDifference {
    std::string first;  ///< the names of both
    std::string other;
    Difference difference;
    bool harmless = false;  ///< they measured the same nevertheless
};

struct Merging {
    std::vector<MeasuredRun> runs;
    std::vector<MergedDifference> differences;  ///< run by run, harmless ones last
    std::vector<MergedPoint> points;            ///< in the order of the first run that has them
};

/// The median over runs of every point. At least two runs. Whether they may differ as they do is up to the
/// caller.
Merging merge(std::vector<MeasuredRun> runs);

}  // namespace fathom::analysis
