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

/// What a table tells of a point at a glance. In simulation every value is exact.
Quality quality_of(const PointResult& point, const plan::Plan& plan, bool simulated);

}  // namespace fathom::analysis
