#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analysis/point/point_result.hpp"
#include "stats/piecewise_lines.hpp"
#include "tune/piecewise_time.hpp"

namespace fathom::tune {

/// The standard deviation of rounding to whole nanoseconds, as times are: without noise they are not known
/// better.
inline constexpr double rounding_ns = 0.2886751345948129;

/// A measured time and what a fit makes of it.
struct FittedPoint {
    Bytes size;
    double measured_ns = 0;
    double fitted_ns = 0;

    /// 0.1: the fit is 10 % too high.
    [[nodiscard]] double error() const { return fitted_ns / measured_ns - 1; }
};

/// The closed form of a curve of time against size.
struct Fit {
    plan::PointKey key = {};  ///< of no size
    PiecewiseTime time = {};
    std::vector<FittedPoint> points = {};  ///< by size
    double mean_error = 0;                 ///< of all points, without their signs
    double largest_error = 0;
};

/// The lines through values (x: bytes, y: nanoseconds; x rising, no x twice). One line ends and the next
/// begins where they meet, if that is between the neighbouring values, else at the geometric middle of these.
/// Nothing for fewer than two values.
std::optional<PiecewiseTime> closed_form(std::span<const stats::MeasuredValue> values);

/// The closed form of every curve of a run that has two sizes at least. `simulated` times have no errors
/// besides their intervals.
std::vector<Fit> fits_of(const std::vector<analysis::PointResult>& points, bool simulated);

}  // namespace fathom::tune
