#include "analysis/run/verdict.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/run/run_result.hpp"

namespace fathom::analysis {

Verdict judge(const RunResult& result) {
    Verdict verdict;
    for (const auto& finding : result.slow_components.found) {
        verdict.reasons.push_back(finding.text);
    }
    if (!result.slow_components.remark.empty()) {
        verdict.remarks.push_back(result.slow_components.remark);
    }
    std::int64_t measured = 0;
    std::int64_t disturbed = 0;
    for (const auto& point : result.points) {
        if (point.status == PointStatus::failed) {
            verdict.reasons.push_back(fmt::format("{}, {}, {} processes failed: {}", point.key.operation,
                                                  to_text(point.key.size), point.key.procs, point.reason));
        }
        measured += point.status == PointStatus::ok ? 1 : 0;
        disturbed += point.disturbed() ? 1 : 0;
    }
    if (measured == 0) {
        verdict.reasons.emplace_back("no point was measured");
    }
    for (const auto& moment : result.clock_check) {
        if (!moment.holds) {
            verdict.reasons.push_back(
                fmt::format("{} after they were synchronised, the clocks exceeded their error bounds",
                            time_text(static_cast<double>(moment.after_ns))));
        }
    }
    if (disturbed > 0) {
        verdict.remarks.push_back(
            fmt::format("other programs used the processors while {} of {} points were measured; repeat on a "
                        "quiet machine for a more reliable verdict",
                        disturbed, result.points.size()));
    }
    verdict.accepted = verdict.reasons.empty();
    return verdict;
}

}  // namespace fathom::analysis
