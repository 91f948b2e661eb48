#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fathom::stats {

/// A point of a curve of time against size: the median of its times and the 95 % interval of that median. In
/// a simulation without noise all three are equal.
struct CurvePoint {
    std::int64_t x = 0;
    double median = 0;
    double low = 0;
    double high = 0;
};

/// A value and its standard error.
struct Estimate {
    double value = 0;
    double error = 0;
};

/// The line a curve follows on one side of a place, from the few points nearest to that place; nearer ones
/// count more, because curves are straight only from near by.
class LocalLaw {
  public:
    /// The nearest point first; at least one. One point alone says nothing of the slope: it is that of
    /// `parallel_to` then, or 0.
    explicit LocalLaw(std::span<const CurvePoint> nearest_first, const LocalLaw* parallel_to = nullptr);

    [[nodiscard]] Estimate at(double x) const;
    [[nodiscard]] Estimate slope() const { return slope_; }
    /// How far the line may be off at x because the curve bends: what the third point is off beyond noise.
    [[nodiscard]] double bias(double x) const;
    /// How many standard errors a point lies off the line, the bias aside; below 0 if the bias explains it.
    [[nodiscard]] double sigmas_off(const CurvePoint& point) const;

    [[nodiscard]] const CurvePoint& nearest() const { return points_.front(); }
    [[nodiscard]] bool slope_known() const { return points_.size() > 1; }

  private:
    void fit();
    [[nodiscard]] Estimate curvature() const;

    std::vector<CurvePoint> points_;
    std::vector<double> weights_;  ///< sum 1
    double centre_ = 0;            ///< weighted mean of x, from the nearest point
    double level_ = 0;             ///< weighted mean of the medians, from the nearest point's
    double spread_ = 0;            ///< weighted squares of x around the centre
    double bend_ = 0;              ///< second divided difference beyond noise
    Estimate slope_;
};

/// Of a point's median. Without noise it is so small that any difference beyond 1e-9 of the time stands out.
double standard_error(const CurvePoint& point);

}  // namespace fathom::stats
