#include "stats/quantile.hpp"

#include <cmath>

#include <boost/math/distributions/binomial.hpp>

namespace fathom::stats {

double quantile(std::span<const double> sorted, double q) {
    const double position = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(std::floor(position));
    if (below + 1 >= sorted.size()) {
        return sorted.back();
    }
    const double share = position - static_cast<double>(below);
    return sorted[below] + share * (sorted[below + 1] - sorted[below]);
}

std::optional<OrderInterval> median_interval(std::size_t n, double confidence) {
    if (n == 0) {
        return std::nullopt;
    }
    // The interval from the (l+1)-th smallest to the (l+1)-th largest misses the median with probability
    // 2 P(B <= l), B binomial with n trials of probability one half. We want the largest such l.
    const double tail = (1 - confidence) / 2;
    const boost::math::binomial_distribution<double> below_median(static_cast<double>(n), 0.5);
    const auto covers = [&](std::size_t l) {
        return boost::math::cdf(below_median, static_cast<double>(l)) <= tail;
    };
    if (!covers(0)) {
        return std::nullopt;
    }
    std::size_t good = 0;
    std::size_t bad = n / 2 + 1;
    while (bad - good > 1) {
        const std::size_t middle = good + (bad - good) / 2;
        (covers(middle) ? good : bad) = middle;
    }
    return OrderInterval{good, n - 1 - good};
}

}  // namespace fathom::stats
