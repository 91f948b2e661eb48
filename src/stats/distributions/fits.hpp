#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace fathom::stats {

enum class Family { normal, log_normal, shifted_log_normal, gamma };

/// A distribution of a family.
///   normal              place = mean, spread = deviation
///   log_normal          place and spread = mean and deviation of the logarithm; shift = 0
///   shifted_log_normal  the same of the logarithm of what lies above the shift
///   gamma               place = scale, spread = shape
struct Fitted {
    Family family = Family::normal;
    double place = 0;
    double spread = 0;
    double shift = 0;
    double log_likelihood = 0;

    [[nodiscard]] int parameters() const { return family == Family::shifted_log_normal ? 3 : 2; }
    /// The share of the distribution at or below a value.
    [[nodiscard]] double below(double value) const;
};

/// Values with how often they occur; many are put together in groups.
struct Weighted {
    double value = 0;
    double weight = 0;
};

/// Sorted values; of more than a few thousand, neighbours stand for each other, the outermost excepted.
std::vector<Weighted> condensed(std::span<const double> sorted);

/// The distribution of a family that makes the values most likely. Nothing if there is none: values that are
/// all the same, that are not positive (but for the normal one), or for which the shift cannot be told.
///
/// The likelihood of a shifted log-normal distribution grows without bound as the shift comes up to the
/// smallest value; what is taken is its local maximum below, with a shift from 0 on.
std::optional<Fitted> fit(Family family, std::span<const Weighted> values);

/// The largest distance between the distribution function of values and that of a fit, from 0 to 1. Between
/// two neighbours the fit is asked halfway: values that a clock rounds are no worse for that.
double distance(const Fitted& fitted, std::span<const double> sorted);

/// The distance that one of twenty samples of the fitted distribution exceeds which is fitted itself: smaller
/// than Kolmogorov's, since the fit follows the sample. `n` is the effective sample size.
double critical_distance(const Fitted& fitted, double n);

}  // namespace fathom::stats
