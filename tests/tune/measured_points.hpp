#pragma once

#include <string>
#include <vector>

#include "analysis/run/run_result.hpp"

namespace fathom::testing {

/// A point with a time and an interval of that width, as a share of it.
inline analysis::PointResult measured_point(const std::string& operation, int procs, std::int64_t size,
                                            double time_ns, double width = 0,
                                            const std::string& implementation = "") {
    analysis::PointResult point;
    point.key = {.operation = operation, .procs = procs, .size = {size}, .implementation = implementation};
    point.status = analysis::PointStatus::ok;
    const stats::Interval interval{time_ns * (1 - width), time_ns * (1 + width)};
    point.time_ns = stats::Summary{.count = 100, .median = time_ns, .median_ci95 = interval};
    point.value_ns = stats::Reduced{.value = time_ns, .ci95 = interval};
    return point;
}

inline analysis::RunResult simulated_run(std::vector<analysis::PointResult> points) {
    analysis::RunResult run;
    run.run.simulated = true;
    run.points = std::move(points);
    return run;
}

}  // namespace fathom::testing
