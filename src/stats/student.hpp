#pragma once

#include <span>

#include "stats/summary.hpp"

namespace fathom::stats {

/// Of all intervals.
inline constexpr double confidence = 0.95;

/// 95 % of Student's distribution lie within plus and minus this. Freedom is at least 1 and need not be
/// whole.
double student_factor(double freedom);

/// The same of the normal distribution.
inline constexpr double normal_factor = 1.959963984540054;

/// The standard deviation of a normal distribution as a multiple of the median distance from its median.
inline constexpr double mad_to_sigma = 1.482602218505602;

/// By how much the median of so many normal values varies more than their mean: the ratio of deviations.
double median_price(std::size_t count);

/// The interval around the median of a few values, of which nothing but their spread is known: Student's,
/// wider by what a median costs. Of one value it has no width.
Interval few_values_ci95(std::span<const double> values);

}  // namespace fathom::stats
