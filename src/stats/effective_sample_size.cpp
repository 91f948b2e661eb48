#include "stats/effective_sample_size.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/quadrature/gauss.hpp>

#include "stats/student.hpp"

namespace fathom::stats {
namespace {

/// +1 above the quantile, -1 below, 0 at it.
using Indicator = std::vector<std::int32_t>;

/// Correlation is taken at its upper confidence limit, this many standard errors above the estimate: short
/// series cannot rule correlation out, so they pay for it.
constexpr double standard_errors = 0.5;
/// Fisher's transformation has a standard error from this number of values on.
constexpr std::size_t least_for_fisher = 4;
/// Neighbours that are alike beyond this have an unbounded autocorrelation time.
constexpr double largest_correlation = 0.98;
/// Autocorrelations are summed this far; a longer memory is looked for in sums of blocks of values.
constexpr std::size_t most_lags = 64;
constexpr std::size_t block_length = 8;
constexpr std::size_t least_blocks = 50;
/// Batch means: between 10 and 30 batches suffice (Schmeiser, Operations Research 30, 1982), of 2 values.
constexpr std::size_t batches = 25;
constexpr std::size_t least_for_batches = 2 * batches;

double autocovariance(const Indicator& indicator, double mean, std::size_t lag) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i + lag < indicator.size(); ++i) {
        sum += static_cast<std::int64_t>(indicator[i]) * indicator[i + lag];
    }
    const auto n = static_cast<double>(indicator.size());
    return static_cast<double>(sum) / n - mean * mean * (1 - static_cast<double>(lag) / n);
}

double mean_of(const Indicator& indicator) {
    std::int64_t sum = 0;
    for (const auto value : indicator) {
        sum += value;
    }
    return static_cast<double>(sum) / static_cast<double>(indicator.size());
}

/// 1 + 2 sum r_k, as far as it was summed.
struct AutocorrelationTime {
    double value = 1;
    double lags = 0;
    bool ended = true;  ///< false: there is more beyond
};

/// Geyer's initial monotone sequence estimator (Statistical Science 7, 1992): sums of two neighbouring
/// autocorrelations of a reversible chain are positive and fall. The sum ends where they are within chance,
/// sqrt(2 / n), and none counts for more than the one before.
AutocorrelationTime initial_monotone_sequence(const Indicator& indicator, double mean, double variance) {
    const double chance = std::sqrt(2 / static_cast<double>(indicator.size()));
    const auto furthest = std::min(most_lags, indicator.size() / 3);
    AutocorrelationTime time{.value = -1, .lags = 0, .ended = false};
    double last = std::numeric_limits<double>::infinity();
    for (std::size_t lag = 0; lag + 1 <= furthest; lag += 2) {
        const double pair =
            (autocovariance(indicator, mean, lag) + autocovariance(indicator, mean, lag + 1)) / variance;
        if (pair <= (lag == 0 ? 0 : chance)) {
            time.ended = true;
            break;
        }
        last = std::min(last, pair);
        time.value += 2 * last;
        time.lags = static_cast<double>(lag + 1);
    }
    return time;
}

Indicator sums_of_blocks(const Indicator& indicator) {
    Indicator sums(indicator.size() / block_length, 0);
    for (std::size_t i = 0; i < sums.size() * block_length; ++i) {
        sums[i / block_length] += indicator[i];
    }
    return sums;
}

/// The same over any number of lags: where the sum does not end, that of blocks (the blocking transformation
/// of Flyvbjerg and Petersen, J. Chem. Phys. 91, 1989, which leaves the variance of the mean as it is).
AutocorrelationTime autocorrelation_time(Indicator indicator) {
    double factor = 1;
    double step = 1;
    while (true) {
        const double mean = mean_of(indicator);
        const double variance = autocovariance(indicator, mean, 0);
        if (variance <= 0) {
            return {.value = factor, .lags = 0};
        }
        const auto time = initial_monotone_sequence(indicator, mean, variance);
        if (time.ended || indicator.size() / block_length < least_blocks) {
            return {.value = factor * time.value, .lags = step * time.lags};
        }
        indicator = sums_of_blocks(indicator);
        factor *=
            autocovariance(indicator, mean_of(indicator), 0) / (static_cast<double>(block_length) * variance);
        step *= static_cast<double>(block_length);
    }
}

/// The autocorrelation time of the indicator of the q-quantile of a normal AR(1) process. Two normal values
/// of correlation r are both above it more often than by chance by the integral of their density over r from
/// 0; for the median that is the arcsine law.
double normal_autocorrelation_time(double correlation, double q) {
    using boost::math::double_constants::two_pi;
    constexpr double negligible = 1e-4;
    const double z = boost::math::quantile(boost::math::normal(), q);
    const auto density = [&](double angle) { return std::exp(-z * z / (1 + std::sin(angle))); };
    double sum = 0;
    for (double of_lag = correlation; of_lag > negligible; of_lag *= correlation) {
        constexpr unsigned nodes = 7;
        sum += boost::math::quadrature::gauss<double, nodes>::integrate(density, 0.0, std::asin(of_lag));
    }
    return 1 + 2 * sum / (two_pi * q * (1 - q));
}

/// Spearman's correlation of neighbours (Wald and Wolfowitz 1943), of normal values the correlation itself
/// (Pearson 1907): it does not depend on the distribution.
double serial_rank_correlation(std::span<const double> in_order, std::span<const double> sorted) {
    using boost::math::double_constants::sixth_pi;
    std::vector<double> ranks;  // around their mean; equal values share theirs
    ranks.reserve(sorted.size());
    const auto n = static_cast<double>(sorted.size());
    for (const double value : in_order) {
        const auto first = std::lower_bound(sorted.begin(), sorted.end(), value);
        const bool alone = std::next(first) == sorted.end() || *std::next(first) != value;
        const auto last = alone ? std::next(first) : std::upper_bound(first, sorted.end(), value);
        ranks.push_back(static_cast<double>((first - sorted.begin()) + (last - sorted.begin())) / 2 - n / 2);
    }
    double squares = ranks.back() * ranks.back();
    double products = 0;
    for (std::size_t i = 0; i + 1 < ranks.size(); ++i) {
        squares += ranks[i] * ranks[i];
        products += ranks[i] * ranks[i + 1];
    }
    return squares > 0 ? 2 * std::sin(sixth_pi * products / squares) : 0;
}

/// By how much an interval grows whose variance is estimated with so many degrees of freedom, squared.
double variance_inflation(double freedom) {
    constexpr double least_freedom = 2;
    const double ratio = student_factor(std::max(least_freedom, freedom)) / normal_factor;
    return ratio * ratio;
}

Indicator indicator_of(std::span<const double> in_order, double threshold) {
    Indicator indicator;
    indicator.reserve(in_order.size());
    for (const double value : in_order) {
        indicator.push_back(value > threshold ? 1 : value < threshold ? -1 : 0);
    }
    return indicator;
}

/// The variance of the mean of an indicator by batch means, as a multiple of that of independent values.
double batch_means_inflation(const Indicator& indicator) {
    const auto length = indicator.size() / batches;
    double squares = 0;
    double sum = 0;
    double squares_of_sums = 0;
    for (std::size_t i = 0; i < batches; ++i) {
        double own = 0;
        for (const auto value : std::span(indicator).subspan(i * length, length)) {
            own += value;
            squares += value * value;
        }
        sum += own;
        squares_of_sums += own * own;
    }
    constexpr auto count = static_cast<double>(batches);
    const double between = (squares_of_sums - sum * sum / count) / (count - 1);
    return squares > 0 ? std::max(1.0, between / (squares / count)) : 1;
}

/// The upper confidence limit of a correlation by Fisher's transformation (Biometrika 10, 1915), the estimate
/// being corrected for its bias: around their own mean values look less alike than they are (Marriott and
/// Pope, Biometrika 41, 1954).
double upper_limit(double correlation, double n) {
    const double unbiased =
        std::clamp(correlation + (1 + 3 * correlation) / n, -largest_correlation, largest_correlation);
    const double limit = std::tanh(std::atanh(unbiased) + standard_errors / std::sqrt(n - 3));
    return std::clamp(limit, 0.0, largest_correlation);
}

}  // namespace

EffectiveSampleSize::EffectiveSampleSize(std::span<const double> in_order, std::span<const double> sorted)
    : in_order_(in_order) {
    if (in_order.size() >= least_for_fisher && sorted.front() != sorted.back()) {
        correlation_ =
            upper_limit(serial_rank_correlation(in_order, sorted), static_cast<double>(in_order.size()));
    }
}

double EffectiveSampleSize::at(double threshold) const {
    const auto n = static_cast<double>(in_order_.size());
    auto indicator = indicator_of(in_order_, threshold);
    const double q = std::clamp((1 - mean_of(indicator)) / 2, 1 / (n + 1), n / (n + 1));
    const auto summed = autocorrelation_time(std::move(indicator));
    // In short series the sum ends before it has all: at least that of a process with the same neighbours.
    const double time = std::max({1.0, summed.value, normal_autocorrelation_time(correlation_, q)});
    // Around their own mean the sum of 2 m + 1 autocovariances lacks (2 m + 1) / n of it (Percival 1993), and
    // is known about as well as n / (2 m + 1) independent stretches would tell.
    constexpr double most_missing = 0.5;
    const double stretches = n / std::max(2 * std::max(1.0, summed.lags) + 1, time);
    const double excess = (time - 1) / (1 - std::min(most_missing, 1 / stretches));
    return std::max(1.0, n / (1 + variance_inflation(stretches) * excess));
}

double effective_sample_size(std::span<const double> in_order, double threshold) {
    std::vector<double> sorted(in_order.begin(), in_order.end());
    std::sort(sorted.begin(), sorted.end());
    return EffectiveSampleSize(in_order, sorted).at(threshold);
}

EffectiveSample effective_sample_for_median(std::span<const double> in_order, double median) {
    const auto n = static_cast<double>(in_order.size());
    const bool batched = in_order.size() >= least_for_batches;
    double size = effective_sample_size(in_order, median);
    if (batched) {
        size = std::min(size, n / batch_means_inflation(indicator_of(in_order, median)));
    }
    size = std::max(2.0, size);
    // The error of a median comes from the values between which it may lie: some 1.35 n / sqrt(size).
    constexpr double values_by_deviation = 1.35;
    const double by_values = values_by_deviation * n / std::sqrt(size);
    const double by_batches = batched ? 1.0 / (batches - 1) : 0;
    return {.size = size, .freedom = std::max(1.0, 1 / (1 / by_values + by_batches))};
}

}  // namespace fathom::stats
