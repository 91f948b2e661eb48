#include "stats/distributions/histogram.hpp"

#include <algorithm>
#include <cmath>

#include "stats/quantile.hpp"

namespace fathom::stats {

Histogram histogram(std::span<const double> values, int bins, double high) {
    Histogram result;
    result.counts.assign(static_cast<std::size_t>(bins), 0);
    if (values.empty()) {
        return result;
    }
    result.low = *std::min_element(values.begin(), values.end());
    // Equal values still need a bin of some width.
    result.width = high > result.low ? (high - result.low) / bins : 1;
    for (const double value : values) {
        if (value > high && value > result.low) {
            ++result.above;
            continue;
        }
        const auto bin = static_cast<std::size_t>((value - result.low) / result.width);
        ++result.counts[std::min(bin, result.counts.size() - 1)];
    }
    return result;
}

Histogram histogram(std::span<const double> values, double low, double width, double high) {
    Histogram result;
    result.low = low;
    result.width = width;
    const auto bin_of = [&](double value) {
        return static_cast<std::size_t>(std::max(0.0, (value - low) / width));
    };
    result.counts.assign(bin_of(high) + 1, 0);
    for (const double value : values) {
        if (const auto bin = bin_of(value); bin < result.counts.size()) {
            ++result.counts[bin];
        } else {
            ++result.above;
        }
    }
    return result;
}

double bin_width(std::span<const double> sorted, double low, double high, double tick) {
    constexpr double fewest = 10;
    constexpr double most = 200;
    const double quartiles = quantile(sorted, 0.75) - quantile(sorted, 0.25);
    const double wanted = 2 * quartiles / std::cbrt(static_cast<double>(sorted.size()));
    const double range = high - low;
    if (!(range > 0)) {
        return tick > 0 ? tick : 1;
    }
    const double width = std::clamp(wanted, range / most, range / fewest);
    return tick > 0 ? tick * std::max(1.0, std::round(width / tick)) : width;
}

}  // namespace fathom::stats
