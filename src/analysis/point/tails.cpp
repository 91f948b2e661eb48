#include "analysis/point/tails.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "stats/effective_sample_size.hpp"
#include "stats/quantile.hpp"

namespace fathom::analysis {
namespace {

/// Shares of sorted times below the first of rising limits, from each to the next, and from the last on.
std::vector<double> shares_between(std::span<const double> sorted, std::span<const double> limits) {
    std::vector<double> shares;
    std::ptrdiff_t below = 0;
    const auto n = static_cast<double>(sorted.size());
    for (const double limit : limits) {
        const auto next = std::lower_bound(sorted.begin(), sorted.end(), limit) - sorted.begin();
        shares.push_back(static_cast<double>(next - below) / n);
        below = next;
    }
    shares.push_back((n - static_cast<double>(below)) / n);
    return shares;
}

TailQuantile quantile_of(std::span<const double> sorted, double share, const stats::SampleSizeAt& size_at) {
    TailQuantile found{.share = share,
                       .value_ns = {},
                       .ci95_ns = {},
                       .sample_size = 0,
                       .least_sample_size = stats::least_sample(share)};
    // Below this, less than one value is expected beyond it.
    if (static_cast<double>(sorted.size()) * (1 - share) < 1 - 1e-9) {
        return found;
    }
    const auto estimate = stats::quantile_estimate(sorted, share, size_at);
    found.value_ns = estimate.value;
    found.ci95_ns = estimate.ci95;
    found.sample_size = estimate.sample_size;
    return found;
}

}  // namespace

Tails tails_of(std::span<const double> in_order, const stats::SampleSizeAt& size_at) {
    std::vector<double> sorted(in_order.begin(), in_order.end());
    std::sort(sorted.begin(), sorted.end());
    const stats::EffectiveSampleSize own(in_order, sorted);
    const stats::SampleSizeAt of_series = [&](double threshold) { return own.at(threshold); };
    const auto summary = stats::summarise({in_order.begin(), in_order.end()}).value();
    Tails tails;
    tails.count = sorted.size();
    tails.min_ns = summary.min;
    tails.mean_ns = summary.mean;
    tails.deviation_ns = summary.min == summary.max ? 0 : std::sqrt(summary.variance);
    if (tails.min_ns > 0) {  // no time is a multiple of 0
        std::array<double, 5> limits{};
        for (std::size_t i = 0; i < limits.size(); ++i) {
            limits[i] = static_cast<double>(i + 2) * tails.min_ns;
        }
        tails.by_minimum = shares_between(sorted, limits);
    }
    if (tails.deviation_ns > 0) {
        std::array<double, 4> limits{};
        for (std::size_t i = 0; i < limits.size(); ++i) {
            limits[i] = tails.mean_ns + static_cast<double>(i + 1) * tails.deviation_ns;
        }
        tails.by_deviation = shares_between(sorted, limits);
    } else {
        tails.by_deviation = {1, 0, 0, 0, 0};
    }
    for (const double share : {0.9, 0.99, 0.999}) {
        tails.quantiles.push_back(quantile_of(sorted, share, size_at ? size_at : of_series));
    }
    return tails;
}

}  // namespace fathom::analysis
