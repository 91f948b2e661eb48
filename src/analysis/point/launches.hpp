#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "analysis/point/point_result.hpp"
#include "stats/between_runs/between_runs.hpp"

namespace fathom::analysis {

/// Merges the results of one point over several launches. The value is the median of the launches'
/// values, since a launch may be off as a whole; its interval is Student's over the launches, which includes
/// both variances. There must be at least one launch.
PointResult together(const std::vector<PointResult>& launches);

/// A point over its launches: its result, and the repetitions that it is made of.
struct WholePoint {
    PointResult result;
    std::vector<LaunchTimes> counted = {};  ///< of the launches that are used
    std::vector<std::size_t> places = {};   ///< which of all launches these are
};

/// The one way from launches to a point: whatever shows a point, compares it or builds on it takes its value,
/// its interval and what they are made of from here. There must be at least one launch.
WholePoint whole_point(std::vector<LaunchResult> launches);

/// Which launches of a point count, by their places: those with a result, and of these the sound ones, where
/// there are two or more.
std::vector<std::size_t> launches_that_count(const std::vector<PointResult>& launches);

/// By how much launches of these points differ (standard deviation, as a share of the time): the middle over
/// points, of which few that are far off do not count. Nothing if no point has several launches.
std::optional<double> scatter_of_launches(std::span<const PointResult* const> points);

/// Widens the intervals over launches by what differs between runs at different times, as a share of the
/// time: launches within seconds of each other do not show it.
void include_other_runs(PointResult& point, const stats::KnownVariance& between_runs);

}  // namespace fathom::analysis
