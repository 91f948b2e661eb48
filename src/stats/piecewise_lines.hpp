#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fathom::stats {

/// A measured value over x, with its standard error, which is above 0.
struct MeasuredValue {
    double x = 0;
    double y = 0;
    double error = 0;
};

/// A straight line through consecutive values: y = fixed + slope x.
struct FittedLine {
    std::size_t first = 0;  ///< place of the first value that it was fitted to
    std::size_t last = 0;   ///< and of the last one
    double fixed = 0;
    double slope = 0;
};

/// A line needs this many values: two lie on one whatever the curve is.
inline constexpr std::size_t least_line_values = 3;
/// Closed forms are to be read: a curve that needs more lines than this gets the best of this many.
inline constexpr std::size_t most_lines = 8;

/// The fewest lines that describe values (x rising, no x twice). Where lines begin is found by dynamic
/// programming, so that no other division into as many lines fits better; how many there are by an
/// information criterion. Values that scatter more than their errors say do not ask for more lines. Fewer
/// than two values have no line.
std::vector<FittedLine> piecewise_lines(std::span<const MeasuredValue> values);

}  // namespace fathom::stats
