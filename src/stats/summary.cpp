#include "stats/summary.hpp"

#include <algorithm>

#include "stats/median_ci.hpp"
#include "stats/quantile.hpp"

namespace fathom::stats {

std::optional<Summary> summarise(std::vector<double> values) {
    if (values.empty()) {
        return std::nullopt;
    }
    Summary summary;
    if (const auto found = median_ci95(values)) {
        summary.median_ci95 = found->interval;
    }
    std::sort(values.begin(), values.end());
    summary.count = values.size();
    summary.median = quantile(values, 0.5);
    summary.p99 = quantile(values, 0.99);
    summary.min = values.front();
    summary.max = values.back();
    // Kahan's compensation: a billion nanosecond values must not drown the small ones.
    double sum = 0;
    double lost = 0;
    for (const double value : values) {
        const double term = value - lost;
        const double next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    summary.mean = sum / static_cast<double>(values.size());
    return summary;
}

}  // namespace fathom::stats
