#include "stats/stopping/stationary.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace fathom::stats {

bool stationary(std::span<const double> series) {
    constexpr std::size_t fewest = 16;
    if (series.size() < fewest) {
        return false;
    }
    const auto half = series.size() / 2;
    std::vector<std::pair<double, bool>> values;  // and whether it is of the first half
    for (std::size_t i = 0; i < series.size(); ++i) {
        values.emplace_back(series[i], i < half);
    }
    std::sort(values.begin(), values.end());
    // Sum of ranks of the first half; equal values share their mean rank.
    double ranks = 0;
    double ties = 0;
    for (std::size_t i = 0; i < values.size();) {
        auto end = i;
        while (end < values.size() && values[end].first == values[i].first) {
            ++end;
        }
        const auto alike = static_cast<double>(end - i);
        const double rank = static_cast<double>(i + 1 + end) / 2;
        for (auto k = i; k < end; ++k) {
            ranks += values[k].second ? rank : 0;
        }
        ties += alike * alike * alike - alike;
        i = end;
    }
    const auto n = static_cast<double>(values.size());
    const auto first = static_cast<double>(half);
    const double second = n - first;
    const double u = ranks - first * (first + 1) / 2;
    const double variance = first * second / 12 * ((n + 1) - ties / (n * (n - 1)));
    constexpr double z_of_1_percent = 2.576;
    return variance <= 0 || std::abs(u - first * second / 2) <= z_of_1_percent * std::sqrt(variance);
}

}  // namespace fathom::stats
