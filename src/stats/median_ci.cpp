#include "stats/median_ci.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/quantile.hpp"

namespace fathom::stats {
namespace {

std::vector<double> sorted_copy(std::span<const double> values) {
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    return sorted;
}

/// The interval of a quantile of values that are worth fewer independent ones.
std::optional<Interval> interval_of(std::span<const double> sorted, double q, double independent) {
    const auto n = sorted.size();
    const auto worth = static_cast<std::size_t>(independent);
    constexpr double confidence = 0.95;
    const auto places = quantile_interval(worth, q, confidence);
    if (!places) {
        return std::nullopt;
    }
    // The places among fewer values, spread over all.
    const double spread =
        static_cast<double>(n - 1) / static_cast<double>(std::max<std::size_t>(1, worth - 1));
    const auto low = static_cast<std::size_t>(std::floor(static_cast<double>(places->low) * spread));
    const auto high = static_cast<std::size_t>(std::ceil(static_cast<double>(places->high) * spread));
    return Interval{sorted[low], sorted[std::min(high, n - 1)]};
}

}  // namespace

double independent_count(std::span<const double> in_order, double median) {
    constexpr std::size_t enough = 50;
    const auto n = static_cast<double>(in_order.size());
    if (in_order.size() < enough) {
        return n;
    }
    const auto side = [&](double value) { return value > median ? 1.0 : value < median ? -1.0 : 0.0; };
    double squares = 0;
    double neighbours = 0;
    for (std::size_t i = 0; i < in_order.size(); ++i) {
        squares += side(in_order[i]) * side(in_order[i]);
        neighbours += i > 0 ? side(in_order[i]) * side(in_order[i - 1]) : 0;
    }
    constexpr double most = 0.99;
    const double alike = squares > 0 ? std::clamp(neighbours / squares, 0.0, most) : 0;
    // Chance alone gives 2 / sqrt(n): that much is no sign of anything.
    const double sure = alike > 2 / std::sqrt(n) ? alike : 0;
    return n * (1 - sure) / (1 + sure);
}

std::optional<MedianInterval> median_ci95(std::span<const double> in_order) {
    if (in_order.empty()) {
        return std::nullopt;
    }
    const auto sorted = sorted_copy(in_order);
    const double median = quantile(sorted, 0.5);
    const auto interval = interval_of(sorted, 0.5, independent_count(in_order, median));
    if (!interval) {
        return std::nullopt;
    }
    return MedianInterval{median, *interval};
}

std::optional<Interval> quantile_ci95(std::span<const double> in_order, double q) {
    if (in_order.empty()) {
        return std::nullopt;
    }
    const auto sorted = sorted_copy(in_order);
    return interval_of(sorted, q, independent_count(in_order, quantile(sorted, 0.5)));
}

}  // namespace fathom::stats
