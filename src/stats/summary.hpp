#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace fathom::stats {

struct Interval {
    double low = 0;
    double high = 0;
};

/// What a series of times comes to. All values in the unit of the input.
struct Summary {
    std::size_t count = 0;
    double median = 0;
    std::optional<Interval> median_ci95;  ///< absent where the effective sample size is below 6
    double min = 0;
    double mean = 0;
    double variance = 0;  ///< of the values around their mean
    double p99 = 0;
    double max = 0;
};

/// Summarises a series. The order matters to the interval alone: serial correlation widens it. An empty
/// series has no summary.
std::optional<Summary> summarise(std::vector<double> values);

/// Fewest values of which a median has an interval: least_sample(0.5), rounded up.
inline constexpr std::size_t least_to_bound_median = 6;

/// Where the median of a point on a curve may lie: within its interval, or, where correlation leaves it none,
/// between the minimum and p99. Nothing below 6 values, unless these are `exact`, as simulated times are:
/// then it lies between the smallest and the largest.
std::optional<Interval> median_bounds(const Summary& summary, bool exact = false);

}  // namespace fathom::stats
