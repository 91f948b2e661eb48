#pragma once

#include <vector>

#include "analysis/point/point_result.hpp"
#include "stats/change_points/change_points.hpp"

namespace fathom::analysis {

/// A protocol or algorithm switch in the curve of an operation.
struct FoundSwitch {
    PointKey key;     ///< of no size
    int element = 1;  ///< bytes: the switch is exact if its two sizes differ by one
    stats::ChangePoint found;
};

/// Switches in the curves of time against size, as they were searched for.
std::vector<FoundSwitch> switches_of(const std::vector<PointResult>& points, bool simulated);

}  // namespace fathom::analysis
