#include "stats/summary.hpp"

#include <algorithm>

#include "stats/mean.hpp"
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
    summary.mean = mean(values);
    summary.variance = variance(values);
    return summary;
}

}  // namespace fathom::stats
