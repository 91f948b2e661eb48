#include "stats/median_ci.hpp"

#include <algorithm>
#include <vector>

#include "stats/independent_count.hpp"
#include "stats/quantile.hpp"

namespace fathom::stats {
namespace {

std::vector<double> sorted_copy(std::span<const double> values) {
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    return sorted;
}

}  // namespace

std::optional<MedianInterval> median_ci95(std::span<const double> in_order) {
    if (in_order.empty()) {
        return std::nullopt;
    }
    const auto sorted = sorted_copy(in_order);
    const double median = quantile(sorted, 0.5);
    // A long series always has one: where its level changes so that it is worth almost nothing, the middle
    // four fifths of it.
    constexpr std::size_t long_series = 1'000;
    constexpr double least_worth = 10;
    const double worth = independent_count(in_order, median);
    const auto interval =
        quantile_ci95(sorted, 0.5, in_order.size() < long_series ? worth : std::max(worth, least_worth));
    if (!interval) {
        return std::nullopt;
    }
    return MedianInterval{median, *interval};
}

std::optional<Interval> quantile_ci95(std::span<const double> sorted, double q, double independent) {
    constexpr double confidence = 0.95;
    const auto shares = quantile_shares(independent, q, confidence);
    if (!shares) {
        return std::nullopt;
    }
    return Interval{order_statistic(sorted, shares->low), order_statistic(sorted, shares->high)};
}

std::optional<Interval> quantile_ci95(std::span<const double> in_order, double q) {
    if (in_order.empty()) {
        return std::nullopt;
    }
    const auto sorted = sorted_copy(in_order);
    return quantile_ci95(sorted, q, independent_count(in_order, quantile(sorted, q)));
}

}  // namespace fathom::stats
