#include "stats/quantile_ci.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "stats/effective_sample_size.hpp"
#include "stats/quantile.hpp"
#include "stats/student.hpp"

namespace fathom::stats {
namespace {

/// The quantiles that are shown, and their mirror images: one has an interval only if those nearer to the
/// median have.
constexpr std::array ladder{0.5, 0.9, 0.99, 0.999};

/// From this many values on an interval must hold whatever the correlation; so few as `fewest` say nothing
/// of correlation, and have the interval of order statistics as far as it goes.
constexpr double enough_to_judge = 20;
constexpr double fewest = 6;

/// The effective sample size that an interval of the q-quantile of n values takes.
double demanded_sample(double q, double n) {
    return least_sample(q) * std::clamp((n - fewest) / (enough_to_judge - fewest), 0.0, 1.0);
}

}  // namespace

double least_sample(double q) {
    constexpr double tail = (1 - confidence) / 2;
    return std::log(tail) / std::log(std::max(q, 1 - q));
}

QuantileEstimate quantile_estimate(std::span<const double> sorted, double q, const SampleSizeAt& size_at) {
    QuantileEstimate found{.value = quantile(sorted, q), .ci95 = {}, .sample_size = 0};
    const double own = size_at(found.value);
    found.sample_size = own;
    for (const double rung : ladder) {
        if (rung < std::max(q, 1 - q)) {
            found.sample_size =
                std::min(found.sample_size, size_at(quantile(sorted, q < 0.5 ? 1 - rung : rung)));
        }
    }
    const auto n = static_cast<double>(sorted.size());
    if (n < least_sample(q) || found.sample_size < demanded_sample(q, n)) {
        return found;
    }
    constexpr double rounding = 1e-9;
    const auto shares = quantile_shares(std::max(own, least_sample(q) * (1 + rounding)), q, confidence);
    if (shares) {
        found.ci95 = {order_statistic(sorted, shares->low), order_statistic(sorted, shares->high)};
    }
    return found;
}

QuantileEstimate quantile_estimate(std::span<const double> in_order, double q) {
    std::vector<double> sorted(in_order.begin(), in_order.end());
    std::sort(sorted.begin(), sorted.end());
    const EffectiveSampleSize size(in_order, sorted);
    return quantile_estimate(sorted, q, [&](double threshold) { return size.at(threshold); });
}

}  // namespace fathom::stats
