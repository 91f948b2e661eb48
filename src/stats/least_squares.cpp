#include "stats/least_squares.hpp"

#include <cmath>

namespace fathom::stats {

LineFit::LineFit(std::span<const double> x, std::span<const double> y, std::span<const double> weights)
    : count_(x.size()) {
    for (std::size_t i = 0; i < count_; ++i) {
        weight_ += weights[i];
        centre_ += weights[i] * x[i];
        level_ += weights[i] * y[i];
    }
    centre_ /= weight_;
    level_ /= weight_;
    double products = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        spread_ += weights[i] * (x[i] - centre_) * (x[i] - centre_);
        products += weights[i] * (x[i] - centre_) * (y[i] - level_);
    }
    slope_ = spread_ > 0 ? products / spread_ : 0;
    for (std::size_t i = 0; i < count_; ++i) {
        const double residual = y[i] - level_ - slope_ * (x[i] - centre_);
        chi_square_ += weights[i] * residual * residual;
    }
}

Estimate LineFit::at(double x) const {
    const double from_centre = x - centre_;
    const double of_slope = spread_ > 0 ? from_centre * from_centre / spread_ : 0;
    return {.value = level_ + slope_ * from_centre, .error = std::sqrt(1 / weight_ + of_slope)};
}

Estimate LineFit::slope() const {
    return {.value = slope_, .error = spread_ > 0 ? 1 / std::sqrt(spread_) : 0};
}

double LineFit::covariance(double x) const {
    return spread_ > 0 ? (x - centre_) / spread_ : 0;
}

double LineFit::residual_deviation() const {
    return count_ > 2 ? std::sqrt(chi_square_ / static_cast<double>(count_ - 2)) : 0;
}

double LineFit::influence(double point_x, double point_weight, double x) const {
    return point_weight * (1 / weight_ + (point_x - centre_) * covariance(x));
}

}  // namespace fathom::stats
