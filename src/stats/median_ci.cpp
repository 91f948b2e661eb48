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
    const double worth = independent_count(in_order, median);
    constexpr double fewest = 6;
    constexpr std::size_t long_series = 200;
    const auto enough = static_cast<std::size_t>(fewest);
    if (worth < fewest && sorted.size() >= enough && sorted.size() < long_series) {
        // Values that hardly differ from their neighbours: the true median may be anywhere among them.
        return MedianInterval{median, {sorted.front(), sorted.back()}};
    }
    // Of a long series that is worth almost nothing, because its level changes, the middle part.
    const auto interval =
        quantile_ci95(sorted, 0.5, sorted.size() < long_series ? worth : std::max(worth, fewest));
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
