#include "launch/conclusion.hpp"

#include <algorithm>

namespace fathom::launch {
namespace {

using Kind = Conclusion::Kind;

Kind kind_of(const Outcome& outcome, const Conclusion& counts, const analysis::RunResult& result) {
    if (outcome.kind == Outcome::Kind::interrupted) {
        return Kind::interrupted;
    }
    if (outcome.kind != Outcome::Kind::done) {
        return Kind::cut_short;
    }
    if (counts.failed > 0) {
        return Kind::points_failed;
    }
    const auto& moments = result.clock_check;
    if (std::any_of(moments.begin(), moments.end(), [](const auto& moment) { return !moment.holds; })) {
        return Kind::clocks_wrong;
    }
    if (result.verdict && !result.verdict->accepted) {
        return Kind::not_accepted;
    }
    return counts.ok == 0 && counts.points > 0 ? Kind::none_measured : Kind::done;
}

}  // namespace

ExitStatus Conclusion::status() const {
    switch (kind) {
        case Kind::done:
            return ExitStatus::done;
        case Kind::interrupted:
            return ExitStatus::interrupted;
        case Kind::clocks_wrong:
        case Kind::not_accepted:
            return ExitStatus::check_failed;
        default:
            return ExitStatus::not_measured;
    }
}

Conclusion conclude(const Outcome& outcome, const std::vector<store::PointRow>& points,
                    const analysis::RunResult& result) {
    const auto count = [&](store::PointStatus status) {
        return static_cast<std::size_t>(std::count_if(
            points.begin(), points.end(), [&](const auto& point) { return point.status == status; }));
    };
    Conclusion conclusion{.points = points.size(),
                          .ok = count(store::PointStatus::ok),
                          .failed = count(store::PointStatus::failed)};
    conclusion.kind = kind_of(outcome, conclusion, result);
    return conclusion;
}

}  // namespace fathom::launch
