#pragma once

#include <string>
#include <vector>

#include "analysis/point_result.hpp"

namespace fathom::analysis {

/// What the points of a run say together: where overhead, availability or the message time jump between
/// neighbouring sizes by more than noise and the growth of the message explain.
std::vector<ProtocolBoundary> protocol_boundaries(const std::vector<PointResult>& points);

/// Adds to the verdict of each point what a progress thread did at the same point, where that was measured.
void compare_progress(std::vector<PointResult>& points);

}  // namespace fathom::analysis
