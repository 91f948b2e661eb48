#include "stats/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/tools/toms748_solve.hpp>

namespace fathom::stats {
namespace {

/// In double throughout: long double takes many times as long and changes no place.
using Double = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

/// The place, as a share of n + 1, whose order statistic lies below the q-quantile with this probability: for
/// place k that is the chance that k or more of n values do, an incomplete beta function, which k between
/// whole numbers has too.
double share_below(double n, double q, double probability) {
    const auto missing = [&](double share) {
        return boost::math::ibeta((n + 1) * share, (n + 1) * (1 - share), q, Double()) - probability;
    };
    // The normal limit is near it already; only if it is not does the search go from end to end.
    const boost::math::normal_distribution<double, Double> normal;
    const double near = q - boost::math::quantile(normal, probability) * std::sqrt(q * (1 - q) / (n + 1));
    const double around = 1 / (n + 1);
    double low = std::max(1 / (n + 1), near - around);
    double high = std::min(n / (n + 1), near + around);
    double at_low = low < high ? missing(low) : -1;
    double at_high = low < high ? missing(high) : 1;
    if (at_low < 0 || at_high > 0) {
        low = 1 / (n + 1);
        high = n / (n + 1);
        at_low = missing(low);
        at_high = missing(high);
    }
    if (at_low <= 0 || at_high >= 0) {
        return at_low <= 0 ? low : high;
    }
    constexpr int bits = 26;
    std::uintmax_t steps = 100;
    const auto [from, to] = boost::math::tools::toms748_solve(
        missing, low, high, at_low, at_high, boost::math::tools::eps_tolerance<double>(bits), steps);
    return (from + to) / 2;
}

}  // namespace

double median_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return quantile(values, 0.5);
}

double quantile(std::span<const double> sorted, double q) {
    const double position = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(std::floor(position));
    if (below + 1 >= sorted.size()) {
        return sorted.back();
    }
    const double share = position - static_cast<double>(below);
    return sorted[below] + share * (sorted[below + 1] - sorted[below]);
}

std::optional<ShareInterval> quantile_shares(double n, double q, double confidence) {
    const double tail = (1 - confidence) / 2;
    // No value below the quantile, or none above: the outermost then miss it.
    if (n < 1 || q <= 0 || q >= 1 || std::pow(1 - q, n) > tail || std::pow(q, n) > tail) {
        return std::nullopt;
    }
    const double low = share_below(n, q, 1 - tail);
    constexpr double half = 0.5;
    return ShareInterval{low, q == half ? 1 - low : share_below(n, q, tail)};
}

double order_statistic(std::span<const double> sorted, double share) {
    const auto n = static_cast<double>(sorted.size());
    const double place = std::clamp(share * (n + 1) - 1, 0.0, n - 1);
    return quantile(sorted, n > 1 ? place / (n - 1) : 0);
}

}  // namespace fathom::stats
