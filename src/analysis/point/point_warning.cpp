#include "analysis/point/point_warning.hpp"

namespace fathom::analysis {
namespace {

/// Gives the kind of a warning by its facts.
struct KindOfWarning {
    PointWarningKind operator()(const LimitReached& /*facts*/) const { return PointWarningKind::limit; }
    PointWarningKind operator()(const LaunchesFailed& /*facts*/) const { return PointWarningKind::limit; }
    PointWarningKind operator()(const GoalMissed& /*facts*/) const { return PointWarningKind::limit; }
    PointWarningKind operator()(const Disturbed& /*facts*/) const { return PointWarningKind::disturbed; }
    PointWarningKind operator()(const LaunchesDisturbed& /*facts*/) const {
        return PointWarningKind::disturbed;
    }
    PointWarningKind operator()(const DriftChanged& /*facts*/) const { return PointWarningKind::clock; }
    PointWarningKind operator()(const NoInterval& /*facts*/) const {
        return PointWarningKind::few_repetitions;
    }
    PointWarningKind operator()(const StartedApart& /*facts*/) const { return PointWarningKind::start_skew; }
    PointWarningKind operator()(const WorkOff& /*facts*/) const { return PointWarningKind::overlap; }
    PointWarningKind operator()(const WorkDrifted& /*facts*/) const { return PointWarningKind::overlap; }
    PointWarningKind operator()(const LaunchLevels& /*facts*/) const {
        return PointWarningKind::launch_levels;
    }
    PointWarningKind operator()(const EventsDropped& /*facts*/) const { return PointWarningKind::trace; }
};

}  // namespace

PointWarningKind PointWarning::kind() const {
    return std::visit(KindOfWarning{}, facts);
}

bool few_repetitions(const stats::Summary& time) {
    // Of independent repetitions 30 have an interval in 99 of 100 cases (bench/coverage).
    constexpr std::size_t usually_enough = 30;
    return time.count < usually_enough;
}

}  // namespace fathom::analysis
