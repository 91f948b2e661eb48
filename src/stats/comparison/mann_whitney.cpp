#include "stats/comparison/mann_whitney.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/binomial.hpp>

namespace fathom::stats {
namespace {

/// Pairs in which the second exceeds the first, ties by half, and the share of variance that ties leave.
struct Counted {
    double pairs = 0;
    double left_by_ties = 1;
};

/// Walks through both samples, one value after the other.
Counted counted(std::span<const double> a, std::span<const double> b) {
    Counted found;
    double ties = 0;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() || j < b.size()) {
        const double value = j == b.size() || (i < a.size() && a[i] <= b[j]) ? a[i] : b[j];
        const auto from_a = i;
        const auto from_b = j;
        while (i < a.size() && a[i] == value) {
            ++i;
        }
        while (j < b.size() && b[j] == value) {
            ++j;
        }
        const auto of_a = static_cast<double>(i - from_a);
        const auto of_b = static_cast<double>(j - from_b);
        found.pairs += of_b * (static_cast<double>(from_a) + of_a / 2);
        const double tied = of_a + of_b;
        ties += tied * (tied * tied - 1);
    }
    const auto n = static_cast<double>(a.size() + b.size());
    found.left_by_ties = n > 1 ? 1 - ties / (n * (n * n - 1)) : 0;
    return found;
}

/// How many orders of the values have each number of pairs in which the second exceeds the first.
std::vector<double> orders_by_pairs(std::size_t count_a, std::size_t count_b) {
    // Orders of i and j values with u pairs: the largest is one of a, or one of b that exceeds all i of a.
    std::vector<std::vector<double>> orders(count_b + 1, {1.0});
    for (std::size_t i = 1; i <= count_a; ++i) {
        for (std::size_t j = 1; j <= count_b; ++j) {
            std::vector<double> both(i * j + 1, 0.0);
            for (std::size_t u = 0; u < orders[j].size(); ++u) {
                both[u] += orders[j][u];
            }
            for (std::size_t u = 0; u < orders[j - 1].size(); ++u) {
                both[u + i] += orders[j - 1][u];
            }
            orders[j] = std::move(both);
        }
    }
    return orders[count_b];
}

}  // namespace

RankTest mann_whitney(std::span<const double> sorted_a, std::span<const double> sorted_b, double size_a,
                      double size_b) {
    if (sorted_a.empty() || sorted_b.empty()) {
        return {};
    }
    const auto found = counted(sorted_a, sorted_b);
    const double all = static_cast<double>(sorted_a.size()) * static_cast<double>(sorted_b.size());
    RankTest result{.superiority = found.pairs / all, .p_value = 1};
    constexpr double per_pair = 12;
    const double variance = (size_a + size_b + 1) / (per_pair * size_a * size_b) * found.left_by_ties;
    const double off = std::max(0.0, std::abs(result.superiority - 0.5) - 0.5 / (size_a * size_b));
    if (variance > 0 && off > 0) {
        const boost::math::normal normal;
        result.p_value = 2 * boost::math::cdf(boost::math::complement(normal, off / std::sqrt(variance)));
    }
    return result;
}

RankTest exact_mann_whitney(std::span<const double> a, std::span<const double> b) {
    if (a.empty() || b.empty()) {
        return {};
    }
    std::vector<double> sorted_a(a.begin(), a.end());
    std::vector<double> sorted_b(b.begin(), b.end());
    std::sort(sorted_a.begin(), sorted_a.end());
    std::sort(sorted_b.begin(), sorted_b.end());
    const double pairs = counted(sorted_a, sorted_b).pairs;
    const auto orders = orders_by_pairs(a.size(), b.size());
    const double all = std::accumulate(orders.begin(), orders.end(), 0.0);
    const auto most = static_cast<double>(orders.size() - 1);
    const auto outermost = static_cast<std::size_t>(std::ceil(std::min(pairs, most - pairs)));
    const double below =
        std::accumulate(orders.begin(), orders.begin() + static_cast<std::ptrdiff_t>(outermost) + 1, 0.0);
    return {.superiority = pairs / most, .p_value = std::min(1.0, 2 * below / all)};
}

double smallest_mann_whitney_p(std::size_t count_a, std::size_t count_b) {
    if (count_a == 0 || count_b == 0) {
        return 1;
    }
    return std::min(1.0, 2 / boost::math::binomial_coefficient<double>(
                                 static_cast<unsigned>(count_a + count_b), static_cast<unsigned>(count_a)));
}

}  // namespace fathom::stats
