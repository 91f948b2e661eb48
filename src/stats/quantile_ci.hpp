#pragma once

#include <functional>
#include <optional>
#include <span>

#include "stats/summary.hpp"

namespace fathom::stats {

/// A quantile of a sample and its 95 % interval. Absent: the effective sample size is below least_sample().
struct QuantileEstimate {
    double value = 0;
    std::optional<Interval> ci95;
    double sample_size = 0;  ///< effective: the smallest of those that decide whether there is an interval
};

/// The effective sample size for the quantile that lies at this value.
using SampleSizeAt = std::function<double(double threshold)>;

/// The least (effective) sample whose largest value exceeds the q-quantile in 39 of 40 cases, or whose
/// smallest lies below it: 6 for the median, 36 for p90, 368 for p99. None gives an interval with fewer.
double least_sample(double q);

/// The q-quantile of a series that is not empty, in the order it was measured. Its interval is that of order
/// statistics (the binomial distribution of the number of values below the quantile) for the effective sample
/// size; there is none if that is below least_sample(q), at the quantile itself or at p50, p90, p99 or p99.9
/// between it and the median. So p99 has none where p90 has none. Fewer than 20 values may have a smaller
/// effective sample size, the fewer the smaller: their interval is that of the least sample.
QuantileEstimate quantile_estimate(std::span<const double> in_order, double q);
/// The same of sorted values whose effective sample size is known.
QuantileEstimate quantile_estimate(std::span<const double> sorted, double q, const SampleSizeAt& size_at);

}  // namespace fathom::stats
