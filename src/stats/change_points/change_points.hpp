#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stats/change_points/curve_point.hpp"

namespace fathom::stats {

/// The curve follows one line up to `last_below` and another from `first_above`: a switch of protocol or of
/// algorithm.
struct ChangePoint {
    std::int64_t last_below = 0;
    std::int64_t first_above = 0;
    double before = 0;        ///< what the two lines predict at the boundary: in the middle for a jump,
    double after = 0;         ///< where they meet for a bend
    bool jump = false;        ///< or a bend: another slope, but no step
    double significance = 0;  ///< by how many standard errors the lines disagree
    double slope_before = 0;  ///< time by unit of x
    double slope_after = 0;
};

/// The change points of a curve (sorted by x, no size twice) by binary segmentation: the clearest first, then
/// those on either side of it. At each, the lines through the points below and above disagree by 2 % of the
/// time and by more than noise and a gentle curvature explain. A bend also needs a slope that changes by
/// half; it lies between the nearest points that show it, which may leave out points on both lines.
std::vector<ChangePoint> find_change_points(std::span<const CurvePoint> curve);

/// `switch at 12288 B, 1.8 times slower above`; `switch between 12200 B and 12290 B, 1.3 times faster above`;
/// `bend at 4096 B, 2.0 times steeper above`. "At" names the last size below; neighbours are an element
/// apart.
std::string switch_text(const ChangePoint& found, std::int64_t element = 1);

}  // namespace fathom::stats
