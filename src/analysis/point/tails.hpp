#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stats/quantile_ci.hpp"

namespace fathom::analysis {

struct TailQuantile {
    double share = 0;  ///< 0.99
    std::optional<double> value_ns;
    std::optional<stats::Interval> ci95_ns;
    double sample_size = 0;        ///< effective, where there is a value
    double least_sample_size = 0;  ///< that an interval needs
};

/// How many times are how slow: the two tables of Abdul Hamid's thesis, and high quantiles.
struct Tails {
    std::size_t count = 0;
    double min_ns = 0;
    double mean_ns = 0;
    double deviation_ns = 0;  ///< standard
    /// Shares below twice the minimum, from two to three times it, ..., from five to six, and above. Empty
    /// where the minimum is 0.
    std::vector<double> by_minimum;
    /// Shares below mean + 1 deviation, between mean + 1 and mean + 2, ..., and above mean + 4 deviations.
    std::vector<double> by_deviation;
    std::vector<TailQuantile> quantiles;  ///< p90, p99, p99.9
};

/// Of times in order; at least one. Without `size_at`, the effective sample size is estimated from their
/// order.
Tails tails_of(std::span<const double> in_order, const stats::SampleSizeAt& size_at = {});

}  // namespace fathom::analysis
