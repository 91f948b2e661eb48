#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stats/change_points/curve_point.hpp"
#include "stats/least_squares.hpp"

namespace fathom::stats {

/// The line that a curve follows on one side of a place: a locally weighted regression (Cleveland 1979) on
/// the points nearest to that place, whose weights fall with the distance because curves are straight only
/// locally.
class LocalLine {
  public:
    /// The nearest point first; at least one. What the points do not show, the slope if there is one and the
    /// curvature if there are two, is that of the other side, or 0.
    explicit LocalLine(std::span<const CurvePoint> nearest_first, const LocalLine* other_side = nullptr);

    /// Errors are those of the points. Where these scatter around the line by more than that and a smooth
    /// curve explain, the errors grow as much (the Birge ratio): a line through an outlier proves nothing.
    [[nodiscard]] Estimate at(double x) const;
    [[nodiscard]] Estimate slope() const;
    /// By how much the line is too high at x if the curve continues to bend as its points do.
    [[nodiscard]] double bias(double x) const;
    /// How many standard errors a point lies off the line, not counting the bias; below 0 if the bias
    /// explains it.
    [[nodiscard]] double z_score(const CurvePoint& point) const;

    [[nodiscard]] const CurvePoint& nearest() const { return points_.front(); }
    [[nodiscard]] bool slope_known() const { return points_.size() > 1; }

  private:
    [[nodiscard]] double influence(std::size_t i, double x) const;
    [[nodiscard]] double scatter() const;
    [[nodiscard]] double curve(double x) const;
    [[nodiscard]] double line_off_curve(double x) const;
    [[nodiscard]] double fitted_curvature() const;

    std::vector<CurvePoint> points_;
    std::vector<double> distances_;  ///< from the nearest point, whose weight can be 1e16 times another's
    std::vector<double> weights_;
    LineFit line_;
    double borrowed_slope_ = 0;
    double curvature_ = 0;
};

}  // namespace fathom::stats
