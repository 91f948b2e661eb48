#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.hpp"

/// Finding and predicting the best way to perform a collective.
namespace fathom::tune {

/// A time against a number of bytes: fixed_ns + per_byte_ns * bytes.
struct Line {
    double fixed_ns = 0;
    double per_byte_ns = 0;

    [[nodiscard]] double at(double bytes) const { return fixed_ns + per_byte_ns * bytes; }
    friend Line operator+(Line a, Line b) { return {a.fixed_ns + b.fixed_ns, a.per_byte_ns + b.per_byte_ns}; }
    friend Line operator-(Line a, Line b) { return {a.fixed_ns - b.fixed_ns, a.per_byte_ns - b.per_byte_ns}; }
    friend Line operator*(double times, Line line) {
        return {times * line.fixed_ns, times * line.per_byte_ns};
    }
    friend bool operator==(Line, Line) = default;
};

/// Larger than any size there is.
inline constexpr Bytes endless{std::int64_t{1} << 62};

/// A line and the last size that it holds for.
struct LineRange {
    Line time;
    Bytes up_to = endless;

    friend bool operator==(const LineRange&, const LineRange&) = default;
};

/// A time against size by lines, each up to a size: what libraries with several protocols take.
struct PiecewiseTime {
    std::vector<LineRange> ranges = {};  ///< by size; the last one is endless

    [[nodiscard]] const LineRange& range_of(double bytes) const {
        std::size_t at = 0;
        while (at + 1 < ranges.size() && bytes > static_cast<double>(ranges[at].up_to.count)) {
            ++at;
        }
        return ranges[at];
    }
    [[nodiscard]] double at(double bytes) const { return range_of(bytes).time.at(bytes); }
};

}  // namespace fathom::tune
