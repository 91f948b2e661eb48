#include "stats/quantile.hpp"

#include <cmath>

#include <boost/math/distributions/binomial.hpp>

namespace fathom::stats {
namespace {

/// In double throughout: long double takes many times as long and changes no place.
using Binomial = boost::math::binomial_distribution<
    double, boost::math::policies::policy<boost::math::policies::promote_double<false>>>;

/// The first of n places at which a condition no longer holds; n if it always does.
template <typename Condition>
std::size_t first_without(std::size_t n, const Condition& holds) {
    std::size_t low = 0;
    std::size_t high = n;
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (holds(middle)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

}  // namespace

double quantile(std::span<const double> sorted, double q) {
    const double position = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(std::floor(position));
    if (below + 1 >= sorted.size()) {
        return sorted.back();
    }
    const double share = position - static_cast<double>(below);
    return sorted[below] + share * (sorted[below + 1] - sorted[below]);
}

std::optional<OrderInterval> quantile_interval(std::size_t n, double q, double confidence) {
    if (n == 0 || q <= 0 || q >= 1) {
        return std::nullopt;
    }
    // B, the number of values below the quantile, is binomial. The (l+1)-th smallest value lies above the
    // quantile if B <= l, and below it if B > l: we want the largest l and the smallest such place.
    const double tail = (1 - confidence) / 2;
    const Binomial below(static_cast<double>(n), q);
    const auto rarely_above = [&](std::size_t place) {
        return boost::math::cdf(below, static_cast<double>(place)) <= tail;
    };
    const auto not_rarely_below = [&](std::size_t place) {
        return boost::math::cdf(boost::math::complement(below, static_cast<double>(place))) > tail;
    };
    const auto low = first_without(n, rarely_above);
    const auto high = first_without(n, not_rarely_below);
    if (low == 0 || high == n) {
        return std::nullopt;
    }
    return OrderInterval{low - 1, high};
}

std::optional<OrderInterval> median_interval(std::size_t n, double confidence) {
    return quantile_interval(n, 0.5, confidence);
}

}  // namespace fathom::stats
