#pragma once

#include <cstddef>
#include <span>

#include "stats/change_points/change_points.hpp"
#include "stats/change_points/local_line.hpp"

namespace fathom::stats {

/// Standard errors beyond which a difference is taken for real: by chance one of 16,000 is.
inline constexpr double significant = 4;
/// Standard errors within which a point agrees with a line: 3 sigma, the usual limit of an outlier.
inline constexpr double agreeing = 3;
/// Share of the time from which a change matters: below it, neither the choice of a protocol nor a model of
/// the curve gains anything.
inline constexpr double least_effect = 0.02;

/// A gap of a curve and the lines that the points on either side of it follow.
struct Boundary {
    LocalLine below;
    LocalLine above;

    /// Points sorted by x, of which the first `count_below` lie below the gap: at least one on either side. A
    /// side that is too short to have a slope or a curvature takes that of the other.
    Boundary(std::span<const CurvePoint> points, std::size_t count_below);

    /// How far apart the lines are at one place, beyond what curvature explains.
    struct Separation {
        double z_score = 0;
        double share = 0;  ///< of the time
        [[nodiscard]] bool matters() const { return z_score >= significant && share >= least_effect; }
    };
    /// Curvature may be this many times what the points show of it. A bend resembles it more than a jump.
    static constexpr double margin_of_jump = 2;
    static constexpr double margin_of_bend = 4;
    [[nodiscard]] Separation separation_at(double x, double margin = margin_of_jump) const;
    /// The place between both sides at which the lines are nearest to each other; the middle if they are
    /// parallel.
    [[nodiscard]] double nearest_place() const;
    /// As if there were one.
    [[nodiscard]] ChangePoint change_point() const;

  private:
    [[nodiscard]] bool parallel() const;
    [[nodiscard]] double middle() const;
};

}  // namespace fathom::stats
