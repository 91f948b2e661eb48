#include "stats/histogram.hpp"

#include <algorithm>

namespace fathom::stats {

Histogram histogram(std::span<const double> values, int bins, double high) {
    Histogram result;
    result.counts.assign(static_cast<std::size_t>(bins), 0);
    if (values.empty()) {
        return result;
    }
    result.low = *std::min_element(values.begin(), values.end());
    // Equal values still need a bin of some width.
    result.width = high > result.low ? (high - result.low) / bins : 1;
    for (const double value : values) {
        if (value > high && value > result.low) {
            ++result.above;
            continue;
        }
        const auto bin = static_cast<std::size_t>((value - result.low) / result.width);
        ++result.counts[std::min(bin, result.counts.size() - 1)];
    }
    return result;
}

}  // namespace fathom::stats
