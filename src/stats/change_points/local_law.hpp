#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stats/least_squares.hpp"

namespace fathom::stats {

/// A point of a curve of time against size: the median of its times and the 95 % interval of that median. In
/// a simulation without noise all three are equal.
struct CurvePoint {
    std::int64_t x = 0;
    double median = 0;
    double low = 0;
    double high = 0;
};

/// The line a curve follows on one side of a place, from the few points nearest to that place; nearer ones
/// count more, because curves are straight only from near by.
class LocalLaw {
  public:
    /// The nearest point first; at least one. What the points do not tell, the slope if there is one and the
    /// curvature if there are two, is that of the law on the other side, or 0.
    explicit LocalLaw(std::span<const CurvePoint> nearest_first, const LocalLaw* other_side = nullptr);

    [[nodiscard]] Estimate at(double x) const;
    [[nodiscard]] Estimate slope() const { return slope_; }
    /// By how much the line is too high at x if the curve goes on to bend as its points do.
    [[nodiscard]] double bias(double x) const;
    /// How many standard errors a point lies off the line, the bias aside; below 0 if the bias explains it.
    [[nodiscard]] double sigmas_off(const CurvePoint& point) const;

    [[nodiscard]] const CurvePoint& nearest() const { return points_.front(); }
    [[nodiscard]] bool slope_known() const { return points_.size() > 1; }
    [[nodiscard]] bool curvature_known() const { return points_.size() >= points_of_an_arc; }

  private:
    static constexpr std::size_t points_of_an_arc = 3;

    void weigh();
    void fit();
    [[nodiscard]] double along(std::size_t i) const;
    [[nodiscard]] double share(std::size_t i, double x) const;
    [[nodiscard]] double arc(double x) const;
    [[nodiscard]] double line_off_arc(double x) const;
    [[nodiscard]] double fitted_curvature() const;

    std::vector<CurvePoint> points_;
    std::vector<double> weights_;  ///< sum 1
    double centre_ = 0;            ///< weighted mean of x, from the nearest point
    double level_ = 0;             ///< weighted mean of the medians, from the nearest point's
    double spread_ = 0;            ///< weighted squares of x around the centre
    Estimate slope_;
    double curvature_ = 0;
};

/// Of a point's median. Without noise it is so small that any difference beyond 1e-9 of the time stands out.
double standard_error(const CurvePoint& point);

}  // namespace fathom::stats
