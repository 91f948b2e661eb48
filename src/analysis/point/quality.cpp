#include "analysis/point/quality.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "plan/operations.hpp"

namespace fathom::analysis {
namespace {

constexpr double percent = 100;

/// Width of the median's interval by the median, as far as it exceeds what the clock resolves. What differs
/// between runs is not in it: no repetition makes that smaller.
std::optional<double> relative_width(const PointResult& point) {
    const auto& time = point.time_ns;
    if (!time || !time->median_ci95) {
        return std::nullopt;
    }
    const auto interval = point.launches ? point.launches->median_ci95 : *time->median_ci95;
    const double width = interval.high - interval.low;
    const double resolved = 2 * point.step_ns;  // a step on either side
    return width <= resolved || time->median <= 0 ? 0 : width / time->median;
}

double goal_of(const plan::Plan& plan) {
    return plan.precision_percent / percent;
}

}  // namespace

bool missed_its_goal(const PointResult& point, const plan::Plan& plan) {
    const auto& operation = plan::find_operation(point.key.operation);
    const bool follows_goal = !plan.reps && plan.stop == plan::StopMode::median_ci &&
                              operation.kind != plan::Kind::matrix && !operation.overlaps();
    if (!follows_goal || point.status != PointStatus::ok || !point.time_ns) {
        return false;
    }
    const auto width = relative_width(point);
    return !point.sound || point.set_aside > point.reps || !width || *width > goal_of(plan);
}

std::optional<GoalMissed> interval_beyond_goal(const PointResult& point, const plan::Plan& plan) {
    const auto width = relative_width(point);
    return width && *width > goal_of(plan) ? std::optional(GoalMissed{.width_percent = *width * percent,
                                                                      .goal_percent = plan.precision_percent})
                                           : std::nullopt;
}

Quality quality_of(const PointResult& point, bool simulated) {
    if (simulated || point.status != PointStatus::ok || !point.time_ns) {
        return Quality::good;
    }
    // From half of them on, the median may be any time that preemption made.
    if (!point.sound || (point.touched > 0 && 2 * point.touched >= point.reps)) {
        return Quality::disturbed;
    }
    // Two digits of the number are in doubt from here on, whatever the goal was.
    constexpr double doubtful = 0.1;
    const auto width = relative_width(point);
    return !width || *width > doubtful ? Quality::imprecise : Quality::good;
}

stats::Interval usual_times(const PointResult& point) {
    // The largest of all repetitions may be one that was preempted, but a value may be that of the largest.
    const auto& times = *point.time_ns;
    return {.low = times.min, .high = point.value_ns->value < times.p99 ? times.p99 : times.max};
}

std::optional<stats::Interval> range_of(const PointResult& point, bool simulated) {
    if (point.status != PointStatus::ok || !point.value_ns) {
        return std::nullopt;
    }
    const auto value = point.value_ns->value;
    if (simulated) {
        return stats::Interval{value, value};
    }
    if (!point.time_ns || point.time_ns->min == point.time_ns->p99) {
        return std::nullopt;  // one value says nothing of others
    }
    auto all = usual_times(point);
    // A launch may be slower than most times.
    for (const double of_launch : point.launches ? point.launches->values_ns : std::vector<double>{}) {
        all.high = std::max(all.high, of_launch);
    }
    const auto& interval = point.value_ns->ci95;
    return interval && point.quality != Quality::disturbed
               ? stats::Interval{std::max(interval->low, all.low), std::min(interval->high, all.high)}
               : all;
}

}  // namespace fathom::analysis
