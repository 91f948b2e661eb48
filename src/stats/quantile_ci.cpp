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
    const auto shares =
        found.sample_size >= least_sample(q) ? quantile_shares(own, q, confidence) : std::nullopt;
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
