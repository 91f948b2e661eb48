#pragma once

#include <cstddef>
#include <span>

namespace fathom::stats {

/// A value and its standard error.
struct Estimate {
    double value = 0;
    double error = 0;
};

/// A straight line fitted to points by weighted least squares. Standard errors and the covariance hold for
/// weights of one over the variance of each y; with other weights, scale them by residual_deviation().
class LineFit {
  public:
    /// As many x, y and weights (above 0), at least one. Points at one x give a line of slope 0.
    LineFit(std::span<const double> x, std::span<const double> y, std::span<const double> weights);

    [[nodiscard]] Estimate at(double x) const;
    [[nodiscard]] Estimate slope() const;
    /// Of the line's value at x with its slope; 0 at the centre.
    [[nodiscard]] double covariance(double x) const;
    /// The weighted mean of all x.
    [[nodiscard]] double centre() const { return centre_; }
    /// The weighted sum of squared distances from the centre.
    [[nodiscard]] double spread() const { return spread_; }
    /// The weighted sum of squared residuals.
    [[nodiscard]] double chi_square() const { return chi_square_; }
    /// The root of chi-square by its degrees of freedom (two less than points): about 1 if the weights say
    /// how much the points scatter. 0 with two points.
    [[nodiscard]] double residual_deviation() const;
    /// By how much the line's value at x grows with the y of a point of the fit (a row of the hat matrix).
    [[nodiscard]] double influence(double point_x, double point_weight, double x) const;

  private:
    std::size_t count_;
    double weight_ = 0;
    double centre_ = 0;
    double level_ = 0;  ///< the weighted mean of all y
    double spread_ = 0;
    double slope_ = 0;
    double chi_square_ = 0;
};

}  // namespace fathom::stats
