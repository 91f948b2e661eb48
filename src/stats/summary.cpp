#include "stats/summary.hpp"

#include <algorithm>

#include "stats/mean.hpp"
#include "stats/quantile.hpp"
#include "stats/quantile_ci.hpp"

namespace fathom::stats {

std::optional<Summary> summarise(std::vector<double> values) {
    if (values.empty()) {
        return std::nullopt;
    }
    Summary summary;
    summary.median_ci95 = quantile_estimate(values, 0.5).ci95;
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

std::optional<Interval> median_bounds(const Summary& summary, bool exact) {
    if (summary.median_ci95) {
        return summary.median_ci95;
    }
    if (summary.count < least_to_bound_median) {
        return exact ? std::optional(Interval{.low = summary.min, .high = summary.max}) : std::nullopt;
    }
    return Interval{.low = summary.min, .high = std::max(summary.median, summary.p99)};
}

}  // namespace fathom::stats
