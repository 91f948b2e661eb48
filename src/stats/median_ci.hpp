#pragma once

#include <optional>
#include <span>

#include "stats/summary.hpp"

namespace fathom::stats {

struct MedianInterval {
    double median = 0;
    Interval interval;
};

/// The median of a series and its 95 % interval by order statistics. Neighbours that resemble each other
/// count as fewer: the interval is that of n (1 - r) / (1 + r) independent values, r being the correlation of
/// "above the median" from one value to the next (judged from 50 values on). Nothing if there are too few.
std::optional<MedianInterval> median_ci95(std::span<const double> in_order);

/// The same interval of the q-quantile of a series. Nothing if there are too few values beyond it.
std::optional<Interval> quantile_ci95(std::span<const double> in_order, double q);

/// How many independent values a series is worth.
double independent_count(std::span<const double> in_order, double median);

}  // namespace fathom::stats
