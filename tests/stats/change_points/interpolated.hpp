#pragma once

#include <cstdint>
#include <iterator>
#include <map>

namespace fathom::stats {

/// The time at x on the lines between the points; beyond the ends that of the end. There must be a point.
inline double interpolated(const std::map<std::int64_t, double>& points, std::int64_t x) {
    const auto above = points.lower_bound(x);
    if (above == points.begin()) {
        return above->second;
    }
    if (above == points.end()) {
        return points.rbegin()->second;
    }
    const auto below = std::prev(above);
    const double slope = (above->second - below->second) / static_cast<double>(above->first - below->first);
    return below->second + slope * static_cast<double>(x - below->first);
}

}  // namespace fathom::stats
