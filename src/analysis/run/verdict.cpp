#include "analysis/run/verdict.hpp"

#include "analysis/run/run_result.hpp"

namespace fathom::analysis {

Verdict judge(const RunResult& result) {
    Verdict verdict;
    for (const auto& component : result.slow_components.found) {
        verdict.reasons.emplace_back(component);
    }
    const auto& limit = result.slow_components.limit;
    const bool blind = limit == MatrixLimit::disturbed;
    if (limit && !blind) {
        verdict.remarks.emplace_back(*limit);
    }
    bool measured = false;
    std::size_t disturbed = 0;
    for (const auto& point : result.points) {
        if (point.status == PointStatus::failed) {
            verdict.reasons.emplace_back(FailedPoint{.key = point.key, .reason = point.reason});
        }
        measured = measured || point.status == PointStatus::ok;
        disturbed += point.disturbed() ? std::size_t{1} : 0;
    }
    if (!measured) {
        verdict.reasons.emplace_back(NothingMeasured{});
    }
    for (const auto& moment : result.clock_check) {
        if (!moment.holds) {
            verdict.reasons.emplace_back(ClocksExceeded{.after_ns = moment.after_ns});
        }
    }
    if (disturbed > 0) {
        verdict.remarks.emplace_back(DisturbedPoints{.disturbed = disturbed, .of = result.points.size()});
    }
    verdict.decided = !blind || !verdict.reasons.empty();
    if (blind) {
        verdict.reasons.emplace_back(*limit);
    }
    verdict.accepted = verdict.reasons.empty();
    return verdict;
}

}  // namespace fathom::analysis
