#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace fathom::stats {

/// The q-quantile (0 <= q <= 1) of sorted values, interpolated linearly between neighbours (type 7 of
/// Hyndman and Fan, the default of R and NumPy). The values must not be empty.
double quantile(std::span<const double> sorted, double q);

/// The median of values in any order, which must not be empty.
double median_of(std::vector<double> values);

/// Shares of a distribution between which a quantile lies.
struct ShareInterval {
    double low = 0;
    double high = 0;
};

/// The order-statistic interval of the q-quantile of n independent values, which assumes nothing of their
/// distribution: either end misses with half of what the confidence leaves. It has the stated confidence,
/// neither more nor less: places between order statistics are taken too (Hutson 1999), and n need not be
/// whole. Empty where the outermost values do not enclose the quantile (n < 6 for the median at 95 %).
std::optional<ShareInterval> quantile_shares(double n, double q, double confidence);

/// The value at place share x (n + 1), from 1, of sorted values, interpolated linearly between neighbours.
double order_statistic(std::span<const double> sorted, double share);

}  // namespace fathom::stats
