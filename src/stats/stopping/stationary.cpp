#include "stats/stopping/stationary.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "stats/comparison/mann_whitney.hpp"

namespace fathom::stats {

bool stationary(std::span<const double> series) {
    constexpr std::size_t fewest = 16;
    constexpr double level = 0.01;
    if (series.size() < fewest) {
        return false;
    }
    const auto half = series.size() / 2;
    std::vector<double> first(series.begin(), series.begin() + static_cast<std::ptrdiff_t>(half));
    std::vector<double> second(series.begin() + static_cast<std::ptrdiff_t>(half), series.end());
    std::sort(first.begin(), first.end());
    std::sort(second.begin(), second.end());
    return mann_whitney(first, second, static_cast<double>(first.size()), static_cast<double>(second.size()))
               .p_value >= level;
}

}  // namespace fathom::stats
