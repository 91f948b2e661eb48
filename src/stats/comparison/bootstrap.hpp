#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stats/effective_sample_size.hpp"
#include "stats/summary.hpp"

namespace fathom::stats {

/// The times of one start of a job, as comparisons need them.
class LaunchSample {
  public:
    /// In the order they were measured; at least one. A median of 0 has no error and cannot be compared.
    /// Heaps of equal times that are no further apart than `longest_step` are taken for steps of a clock.
    /// `set_aside` counts repetitions that were measured too, but whose times say nothing; they are further
    /// ones, or some of these if they are `among` them.
    explicit LaunchSample(std::span<const double> in_order, double longest_step = 0,
                          std::size_t set_aside = 0, bool among = false);

    /// Where a clock has made times equal, by their shares: it lies within the step of the middle one.
    [[nodiscard]] double median() const { return median_; }
    [[nodiscard]] const std::vector<double>& sorted() const { return sorted_; }
    [[nodiscard]] const EffectiveSample& effective_sample() const { return effective_sample_; }
    /// Relative standard error of the median: the spread of bootstrap medians.
    [[nodiscard]] double relative_error() const { return relative_error_; }
    [[nodiscard]] std::size_t set_aside() const { return set_aside_; }
    /// All times, sorted, with those set aside at the low end (0) or at the high end (infinity), whichever of
    /// them they are.
    [[nodiscard]] std::vector<double> sorted_with_set_aside(bool low) const;
    /// Where the median of all repetitions may lie, whatever those set aside would have taken: with all of
    /// them below the others, and with all above (Horowitz and Manski, Econometrica 63, 1995). From 0 to
    /// infinity if they are half of all.
    [[nodiscard]] Interval median_range() const;

    /// The median of a bootstrap sample of the effective sample size, without drawing it: such a median is
    /// the quantile at a place that is Beta-distributed around the middle (Maritz and Jarrett, JASA 73,
    /// 1978), taken here as normal. `normal` is a standard normal number.
    [[nodiscard]] double bootstrap_median(double normal) const;

  private:
    std::vector<double> sorted_;
    std::vector<double> smooth_;
    double median_ = 0;
    EffectiveSample effective_sample_;
    double relative_error_ = 0;
    std::size_t set_aside_ = 0;
    bool among_ = false;
};

/// The starts of one run at one point.
struct RunSample {
    std::vector<LaunchSample> launches;  ///< at least one
    std::size_t unknown = 0;             ///< further starts of which nothing is known
    double variance_between = 0;  ///< of the logarithm of medians from start to start, besides that within
    double freedom_between = 0;   ///< degrees of freedom it is known with; 0: known by assumption

    /// The median of the starts' medians.
    [[nodiscard]] double median() const;
    /// Where it may lie, by the ranges of the starts' medians.
    [[nodiscard]] Interval median_range() const;
};

/// Variance of the logarithms of the starts' medians; 0 for one start.
double variance_of_starts(const RunSample& run);

struct Ratio {
    double value = 1;    ///< median of the second run divided by that of the first
    Interval range;      ///< of it, whatever the repetitions that were set aside would have taken
    Interval ci95;       ///< of the bootstrap distribution, with Student's factor for what is poorly known,
                         ///< from the low end of the range to its high end unless that is open
    double error = 0;    ///< standard deviation of its logarithm
    double freedom = 0;  ///< degrees of freedom of the error
    double p_value = 1;  ///< that some value in the range is 1: Student's, two-sided
};

/// Whether nothing is known of one of its ends.
bool is_open(const Interval& range);

/// Ratio of two runs' medians. Each of the bootstrap samples takes as many starts as there are, with
/// replacement, a bootstrap median of each, and noise where starts vary by more than those at hand show.
Ratio ratio_of_medians(const RunSample& first, const RunSample& second, std::uint64_t seed);

}  // namespace fathom::stats
