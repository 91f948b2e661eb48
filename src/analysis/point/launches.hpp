#pragma once

#include <vector>

#include "analysis/point/point_result.hpp"

namespace fathom::analysis {

/// Merges the results of one point over several launches. The value is the median of the launches'
/// values, since a launch may be off as a whole; its interval is Student's over the launches, which includes
/// both variances. There must be at least one launch.
PointResult together(const std::vector<PointResult>& launches);

/// Widens the intervals over launches by what differs between runs at different times, as a share of the time
/// (standard deviation): launches within seconds of each other do not show it.
void include_other_runs(PointResult& point, double between_runs);

}  // namespace fathom::analysis
