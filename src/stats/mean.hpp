#pragma once

#include <span>

namespace fathom::stats {

/// The mean of values that are not empty; a billion nanosecond values do not drown the small ones.
double mean(std::span<const double> values);

/// The squared deviation from the mean, on average; of one value 0.
double variance(std::span<const double> values);

/// The part of sorted values that SKaMPI looks at: without the slowest and the fastest quarter.
std::span<const double> middle_half(std::span<const double> sorted);

}  // namespace fathom::stats
