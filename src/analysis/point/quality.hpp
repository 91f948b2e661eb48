#pragma once

#include <optional>

#include "analysis/point/point_result.hpp"
#include "plan/plan.hpp"

namespace fathom::analysis {

/// Whether a point is worth measuring again: it was disturbed so much that little is left, or the interval of
/// its median is wider than the plan's goal. Of points that follow no goal (fixed repetitions, studies,
/// matrices) it is never so.
bool missed_its_goal(const PointResult& point, const plan::Plan& plan);

/// By how much the interval is wider than the plan's goal; nothing if it is not, or if there is none.
std::optional<GoalMissed> interval_beyond_goal(const PointResult& point, const plan::Plan& plan);

/// What a table tells of a point at a glance, whatever its plan's goal was. In simulation every value is
/// exact.
Quality quality_of(const PointResult& point, bool simulated);

/// From the shortest time of a point that has one to that which few exceed: where its value may lie if
/// nothing else is known.
stats::Interval usual_times(const PointResult& point);

/// Where the value of a point may lie, for those who choose by it (tune, tree optimize): in its interval, or,
/// if that is missing or the point was disturbed, anywhere among the repetitions that count. Exact in
/// simulation. Nothing if it has no value.
std::optional<stats::Interval> range_of(const PointResult& point, bool simulated);

}  // namespace fathom::analysis
