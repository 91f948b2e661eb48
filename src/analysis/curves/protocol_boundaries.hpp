#pragma once

#include <string>
#include <vector>

#include "analysis/point/point_result.hpp"

namespace fathom::analysis {

/// Two neighbouring sizes between which an overlap study shows a protocol change.
struct ProtocolBoundary {
    PointKey key;  ///< of the point above
    Bytes below;
    Bytes above;
    double time_before_ns = 0;  ///< base of a message, t_b of a collective
    double time_after_ns = 0;
    double overhead_before_ns = 0;
    double overhead_after_ns = 0;
    double availability_before = 0;
    double availability_after = 0;
};

/// Findings over all points of a run: where overhead, availability or the message time jump between
/// neighbouring sizes by more than noise and the growth of the message explain.
std::vector<ProtocolBoundary> protocol_boundaries(const std::vector<PointResult>& points);

/// Adds to the verdict of each point what a progress thread did at the same point, where that was measured.
void compare_progress(std::vector<PointResult>& points);

}  // namespace fathom::analysis
