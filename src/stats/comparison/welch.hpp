#pragma once

#include <span>

namespace fathom::stats {

/// The p value that two samples have the same mean, by Welch's t test (two-sided, unequal variances): for a
/// few values of each, such as the times of launches. With fewer than two values on a side nothing can be
/// said: 1.
double welch_p(std::span<const double> first, std::span<const double> second);

}  // namespace fathom::stats
