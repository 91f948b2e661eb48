#pragma once

#include <string>
#include <vector>

#include "analysis/point/point_result.hpp"

namespace fathom::analysis {

/// Points with a time and its standard error, for analyses that look at many of them together.
struct TimedPoint {
    const PointResult* point = nullptr;
    double time_ns = 0;
    double error_ns = 0;  ///< standard, of the median
};

/// Points that differ in nothing but their size, by size, no size twice.
struct SizeCurve {
    PointKey key;  ///< of no size
    std::vector<TimedPoint> points;
};

/// A point as such; nothing if it has no time. `simulated` ones have no scatter besides their intervals;
/// others are known to 1 % and half a step of their clock at best.
std::optional<TimedPoint> timed(const PointResult& point, bool simulated);

/// The curves of all points with a time.
std::vector<SizeCurve> size_curves(const std::vector<PointResult>& points, bool simulated);

/// One-sided p value that a time exceeds a bound, both with standard errors: by the ratio's logarithm.
double p_exceeds(double time, double error, double bound, double bound_error);

}  // namespace fathom::analysis
