#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace fathom::stats {

struct Interval {
    double low = 0;
    double high = 0;
};

/// What a series of times comes to. All values in the unit of the input.
struct Summary {
    std::size_t count = 0;
    double median = 0;
    std::optional<Interval> median_ci95;  ///< absent below 6 values: no order statistic gives 95 % then
    double min = 0;
    double mean = 0;
    double variance = 0;  ///< of the values around their mean
    double p99 = 0;
    double max = 0;
};

/// Summarises a series. The order matters to the interval alone: neighbours that resemble each other widen
/// it. An empty series has no summary.
std::optional<Summary> summarise(std::vector<double> values);

}  // namespace fathom::stats
