#pragma once

#include <optional>
#include <span>

#include "stats/summary.hpp"

namespace fathom::stats {

struct MedianInterval {
    double median = 0;
    Interval interval;
};

/// The median of a series and its 95 % interval by order statistics, as many of them as the series is worth
/// independent values (independent_count). Nothing if there are too few: below 6. Six and more that are worth
/// fewer have a wide one: from the smallest to the largest, or, of 200 and more, that of six.
std::optional<MedianInterval> median_ci95(std::span<const double> in_order);

/// The same interval of the q-quantile of a series. Nothing if there are too few values beyond it.
std::optional<Interval> quantile_ci95(std::span<const double> in_order, double q);
/// The same of sorted values that are worth so many independent ones.
std::optional<Interval> quantile_ci95(std::span<const double> sorted, double q, double independent);

}  // namespace fathom::stats
