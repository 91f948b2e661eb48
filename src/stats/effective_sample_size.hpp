#pragma once

#include <span>
#include <vector>

namespace fathom::stats {

/// How many independent values a correlated series amounts to, for estimating one of its quantiles: n / tau,
/// where tau is the integrated autocorrelation time of the indicator "above the quantile" (Raftery and Lewis
/// 1992; Vehtari et al., Bayesian Analysis 16, 2021). docs/method.md describes the estimator.
class EffectiveSampleSize {
  public:
    /// Of a series in the order it was measured, and of the same values sorted. Holds no copy: the series
    /// must outlive it.
    EffectiveSampleSize(std::span<const double> in_order, std::span<const double> sorted);

    /// For the quantile that lies at this value: from 1 to the number of values.
    [[nodiscard]] double at(double threshold) const;

  private:
    std::span<const double> in_order_;
    double correlation_ = 0;  ///< of neighbours: upper confidence limit
};

/// The same for one quantile.
double effective_sample_size(std::span<const double> in_order, double threshold);

/// An effective sample size and how well a standard error that rests on it is known.
struct EffectiveSample {
    double size = 0;
    double freedom = 0;  ///< degrees of freedom
};

/// For the median, where two series are to be compared: the smaller of effective_sample_size and, from 50
/// values on, that by batch means (25 batches), which also notices levels that change slowly.
EffectiveSample effective_sample_for_median(std::span<const double> in_order, double median);

}  // namespace fathom::stats
