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

/// Positions (from 0) in a sorted sample whose values enclose a quantile with at least the stated confidence.
struct OrderInterval {
    std::size_t low;
    std::size_t high;
};

/// The narrowest symmetric order-statistic interval of the median: no assumption on the distribution beyond
/// independence. Empty if n is too small for the confidence (n < 6 at 95 %).
std::optional<OrderInterval> median_interval(std::size_t n, double confidence);

/// The same for the q-quantile: either tail is missed with at most half of what the confidence leaves. Empty
/// for q = 0 and q = 1, which no order statistic encloses.
std::optional<OrderInterval> quantile_interval(std::size_t n, double q, double confidence);

/// Shares of a distribution between which a quantile lies.
struct ShareInterval {
    double low = 0;
    double high = 0;
};

/// As quantile_interval, but with the stated confidence, neither more nor less: places between order
/// statistics are taken too (Hutson 1999), and n need not be whole. Empty where the outermost values do not
/// enclose the quantile, which is for the same n as there.
std::optional<ShareInterval> quantile_shares(double n, double q, double confidence);

/// The value at place share x (n + 1), from 1, of sorted values, interpolated linearly between neighbours.
double order_statistic(std::span<const double> sorted, double share);

}  // namespace fathom::stats
