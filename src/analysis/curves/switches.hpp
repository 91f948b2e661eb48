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

/// What a search in one curve has found.
struct SwitchSearch {
    PointKey key;  ///< of no size
    std::vector<FoundSwitch> found = {};
    bool complete = true;  ///< else it lacks sizes that it asked for
};

/// The searches for switches in the curves of time against size, as they were made.
std::vector<SwitchSearch> switch_searches(const std::vector<PointResult>& points, bool simulated);

/// All that they found.
std::vector<FoundSwitch> switches_of(const std::vector<SwitchSearch>& searches);

/// Whether a switch is there whatever is not known of the points on both sides of it.
bool stands(const FoundSwitch& at, const std::vector<PointResult>& points, bool simulated);

}  // namespace fathom::analysis
