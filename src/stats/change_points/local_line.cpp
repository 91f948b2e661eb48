#include "stats/change_points/local_line.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace fathom::stats {
namespace {

/// Five doublings: more would reach beyond what is straight, fewer would leave the slope uncertain.
constexpr std::size_t most_points = 6;
/// By how much a smooth curve leaves its line at a size e times as large, as a share of its time.
constexpr double departure = 0.05;
constexpr std::size_t points_of_a_curvature = 3;

/// One over the variance due to noise and to the distance from the nearest point.
double weight(const CurvePoint& point, const CurvePoint& nearest) {
    // Logarithmic, and defined for size 0.
    const double far = std::log(static_cast<double>(point.x + 1) / static_cast<double>(nearest.x + 1));
    const double left = departure * std::max(std::abs(point.median), std::abs(nearest.median)) * far * far;
    return 1 / (std::pow(standard_error(point), 2) + left * left);
}

std::span<const CurvePoint> used(std::span<const CurvePoint> points) {
    return points.first(std::min(points.size(), most_points));
}

template <typename Value>
std::vector<double> each(std::span<const CurvePoint> points, const Value& value) {
    std::vector<double> values;
    std::ranges::transform(points, std::back_inserter(values), value);
    return values;
}

}  // namespace

LocalLine::LocalLine(std::span<const CurvePoint> nearest_first, const LocalLine* other_side)
    : points_(used(nearest_first).begin(), used(nearest_first).end()),
      distances_(each(points_, [&](const auto& at) { return static_cast<double>(at.x - nearest().x); })),
      weights_(each(points_, [&](const auto& at) { return weight(at, nearest()); })),
      line_(distances_, each(points_, [&](const auto& at) { return at.median - nearest().median; }),
            weights_) {
    if (!slope_known() && other_side != nullptr) {
        borrowed_slope_ = other_side->slope().value;
    }
    if (points_.size() >= points_of_a_curvature) {
        curvature_ = fitted_curvature();
    } else if (other_side != nullptr) {
        curvature_ = other_side->curvature_;
    }
}

double LocalLine::influence(std::size_t i, double x) const {
    return line_.influence(distances_[i], weights_[i], x - static_cast<double>(nearest().x));
}

double LocalLine::scatter() const {
    return std::max(1.0, line_.residual_deviation());
}

Estimate LocalLine::at(double x) const {
    const double from_nearest = x - static_cast<double>(nearest().x);
    double error = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        error = std::hypot(error, influence(i, x) * standard_error(points_[i]));
    }
    return {.value = nearest().median + line_.at(from_nearest).value + borrowed_slope_ * from_nearest,
            .error = scatter() * error};
}

Estimate LocalLine::slope() const {
    double error = 0;
    for (std::size_t i = 0; slope_known() && i < points_.size(); ++i) {
        const double part = weights_[i] * (distances_[i] - line_.centre()) / line_.spread();
        error = std::hypot(error, part * standard_error(points_[i]));
    }
    return {.value = line_.slope().value + borrowed_slope_, .error = scatter() * error};
}

/// How a smooth curve leaves its tangent at the nearest point: as x log x does, whose curvature falls as one
/// over the size, like that of all powers of the size near 1.
double LocalLine::curve(double x) const {
    const double from_nearest = x - static_cast<double>(nearest().x);
    return (x + 1) * std::log1p(from_nearest / static_cast<double>(nearest().x + 1)) - from_nearest;
}

/// The line fitted to that curve, less the curve.
double LocalLine::line_off_curve(double x) const {
    double line = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        line += influence(i, x) * curve(static_cast<double>(points_[i].x));
    }
    return line - curve(x);
}

/// How much of the curve the points contain: their residuals regressed on those of the curve.
double LocalLine::fitted_curvature() const {
    double products = 0;
    double squares = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const auto x = static_cast<double>(points_[i].x);
        const double off = line_off_curve(x);
        products += weights_[i] * off * (at(x).value - points_[i].median);
        squares += weights_[i] * off * off;
    }
    return squares > 0 ? products / squares : 0;
}

double LocalLine::bias(double x) const {
    return slope_known() ? curvature_ * line_off_curve(x) : 0;
}

double LocalLine::z_score(const CurvePoint& point) const {
    const auto x = static_cast<double>(point.x);
    const auto line = at(x);
    const double off = std::abs(point.median - line.value) - std::abs(bias(x));
    return off / std::hypot(line.error, standard_error(point));
}

}  // namespace fathom::stats
