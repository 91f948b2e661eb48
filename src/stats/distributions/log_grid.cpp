#include "stats/distributions/log_grid.hpp"

#include <algorithm>
#include <cmath>

namespace fathom::stats {

double LogGrid::edge(int bin) const {
    return low * std::pow(ratio, bin);
}

LogGrid log_grid(double smallest, double largest, double quantum, int most_bins) {
    // Half a step below the smallest value, so that every value that can occur is within a bin, not at its
    // end.
    const double first = std::max(smallest, quantum / 10);
    const double low = std::max(first - quantum / 2, first / 2);
    const double high = std::max(largest, first) + quantum / 2;
    const double whole = std::log(high / low);
    const double finest = std::log1p(quantum / low);
    const auto bins =
        static_cast<int>(std::clamp(std::floor(whole / finest + 1e-9), 1.0, static_cast<double>(most_bins)));
    return {.low = low, .ratio = std::exp(whole / bins), .bins = bins};
}

std::vector<std::int64_t> counts_on(const LogGrid& grid, std::span<const double> values) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(grid.bins), 0);
    const double by_log = 1 / std::log(grid.ratio);
    const double last = grid.bins - 1;
    for (const double value : values) {
        const double place = value > grid.low ? std::log(value / grid.low) * by_log : 0;
        ++counts[static_cast<std::size_t>(std::min(place, last))];
    }
    return counts;
}

}  // namespace fathom::stats
