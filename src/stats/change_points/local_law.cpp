#include "stats/change_points/local_law.hpp"

#include <algorithm>
#include <cmath>

namespace fathom::stats {
namespace {

/// More would reach too far back; fewer would know the slope less well.
constexpr std::size_t most_points = 6;
/// How much a curve may leave its line, as a share of its time, at a size e times as large.
constexpr double leave = 0.05;

/// Logarithmic, and fit for size 0.
double distance(std::int64_t from, std::int64_t to) {
    return std::log(static_cast<double>(to + 1) / static_cast<double>(from + 1));
}

/// One over the variance that noise and the distance from the nearest point make.
double weight(const CurvePoint& point, const CurvePoint& nearest) {
    const double far = distance(nearest.x, point.x);
    const double left = leave * std::max(std::abs(point.median), std::abs(nearest.median)) * far * far;
    return 1 / (std::pow(standard_error(point), 2) + left * left);
}

}  // namespace

double standard_error(const CurvePoint& point) {
    constexpr double half_of_95_percent = 1.959964;
    constexpr double least_share = 1e-10;
    constexpr double least = 1e-100;  // a time of 0 needs something to divide by too
    return std::max(
        {(point.high - point.low) / 2 / half_of_95_percent, least_share * std::abs(point.median), least});
}

LocalLaw::LocalLaw(std::span<const CurvePoint> nearest_first, const LocalLaw* other_side) {
    const auto few = nearest_first.first(std::min(nearest_first.size(), most_points));
    points_.assign(few.begin(), few.end());
    weigh();
    if (slope_known()) {
        fit();
    } else if (other_side != nullptr) {
        slope_ = other_side->slope_;
    }
    if (curvature_known()) {
        curvature_ = fitted_curvature();
    } else if (other_side != nullptr) {
        curvature_ = other_side->curvature_;
    }
}

/// Everything is counted from the nearest point, whose weight can be 1e16 times that of the others.
double LocalLaw::along(std::size_t i) const {
    return static_cast<double>(points_[i].x - nearest().x);
}

void LocalLaw::weigh() {
    double sum = 0;
    for (const auto& point : points_) {
        weights_.push_back(weight(point, nearest()));
        sum += weights_.back();
    }
    for (auto& weight : weights_) {
        weight /= sum;
    }
}

/// Weighted least squares.
void LocalLaw::fit() {
    const auto up = [&](std::size_t i) { return points_[i].median - nearest().median; };
    for (std::size_t i = 0; i < points_.size(); ++i) {
        centre_ += weights_[i] * along(i);
        level_ += weights_[i] * up(i);
    }
    for (std::size_t i = 0; i < points_.size(); ++i) {
        spread_ += weights_[i] * std::pow(along(i) - centre_, 2);
        slope_.value += weights_[i] * (along(i) - centre_) * (up(i) - level_);
    }
    slope_.value /= spread_;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const double part = weights_[i] * (along(i) - centre_) / spread_;
        slope_.error = std::hypot(slope_.error, part * standard_error(points_[i]));
    }
}

/// What a point's time counts in the line at x.
double LocalLaw::share(std::size_t i, double x) const {
    const double from_centre = x - static_cast<double>(nearest().x) - centre_;
    return weights_[i] * (1 + (slope_known() ? (along(i) - centre_) * from_centre / spread_ : 0));
}

Estimate LocalLaw::at(double x) const {
    double error = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        error = std::hypot(error, share(i, x) * standard_error(points_[i]));
    }
    const double from_centre = x - static_cast<double>(nearest().x) - centre_;
    return {nearest().median + level_ + slope_.value * from_centre, error};
}

/// How a smooth curve leaves its line at the nearest point: as x log x does, whose curvature fades as one
/// over the size, like that of all powers of the size near 1.
double LocalLaw::arc(double x) const {
    const double from_nearest = x - static_cast<double>(nearest().x);
    return (x + 1) * std::log1p(from_nearest / static_cast<double>(nearest().x + 1)) - from_nearest;
}

/// The line through the arc at all points, less the arc.
double LocalLaw::line_off_arc(double x) const {
    double line = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        line += share(i, x) * arc(static_cast<double>(points_[i].x));
    }
    return line - arc(x);
}

/// How much of the arc there is in the points: what is off the line, fitted with what the arc is off its
/// line.
double LocalLaw::fitted_curvature() const {
    double alike = 0;
    double squares = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const auto x = static_cast<double>(points_[i].x);
        const double arc_off = line_off_arc(x);
        alike += weights_[i] * arc_off * (at(x).value - points_[i].median);
        squares += weights_[i] * arc_off * arc_off;
    }
    return squares > 0 ? alike / squares : 0;
}

double LocalLaw::bias(double x) const {
    return slope_known() ? curvature_ * line_off_arc(x) : 0;
}

double LocalLaw::sigmas_off(const CurvePoint& point) const {
    const auto x = static_cast<double>(point.x);
    const auto line = at(x);
    const double off = std::abs(point.median - line.value) - std::abs(bias(x));
    return off / std::hypot(line.error, standard_error(point));
}

}  // namespace fathom::stats
