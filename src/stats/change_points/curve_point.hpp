#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "stats/student.hpp"

namespace fathom::stats {

/// A point of a curve of time against size: the median of its times and the 95 % interval of that median. In
/// a simulation without noise all three are equal.
struct CurvePoint {
    std::int64_t x = 0;
    double median = 0;
    double low = 0;
    double high = 0;
};

/// Points of one curve are measured at other times and with other memory, so that on a real machine they
/// scatter more than their intervals say: by this standard deviation, as a share of the time. Simulated ones
/// scatter not at all.
inline constexpr double point_scatter = 0.01;

/// The point with an interval that stands for this standard error at least, as a share of its time.
inline CurvePoint with_scatter(CurvePoint point, double scatter) {
    const double reach = normal_factor * scatter * point.median;
    point.low = std::min(point.low, point.median - reach);
    point.high = std::max(point.high, point.median + reach);
    return point;
}

/// Of a point's median. Never 0: without noise, differences beyond 1e-9 of the time still stand out.
inline double standard_error(const CurvePoint& point) {
    constexpr double rounding = 1e-10;
    constexpr double least = 1e-100;  // a time of 0 needs something to divide by too
    return std::max({(point.high - point.low) / 2 / normal_factor, rounding * std::abs(point.median), least});
}

}  // namespace fathom::stats
