#include "stats/comparison/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/distributions/students_t.hpp>

#include "stats/distributions/kernel_density.hpp"
#include "stats/mean.hpp"
#include "stats/quantile.hpp"
#include "stats/random.hpp"
#include "stats/student.hpp"

namespace fathom::stats {
namespace {

constexpr int samples = 1'000;
constexpr double upper = (1 + confidence) / 2;

std::vector<double> logarithms_of_medians(const RunSample& run) {
    std::vector<double> logs;
    for (const auto& launch : run.launches) {
        logs.push_back(std::log(launch.median()));
    }
    return logs;
}

/// Values that a clock made equal, spread evenly over the step that it cannot see. Else the median of times
/// of a few steps would jump by a whole one, and look sure of it.
std::vector<double> without_heaps(const std::vector<double>& sorted, double longest_step) {
    const double tick = longest_step > 0 ? tick_of(sorted) : 0;
    if (tick > longest_step || tick <= 0) {
        return sorted;
    }
    std::vector<double> spread;
    spread.reserve(sorted.size());
    for (std::size_t begin = 0; begin < sorted.size();) {
        auto end = begin;
        while (end < sorted.size() && sorted[end] == sorted[begin]) {
            ++end;
        }
        const double below = begin > 0 ? std::min(tick, sorted[begin] - sorted[begin - 1]) : tick;
        const double above = end < sorted.size() ? std::min(tick, sorted[end] - sorted[begin]) : tick;
        const double low = std::max(0.0, sorted[begin] - below / 2);
        const auto heap = static_cast<double>(end - begin);
        for (auto i = begin; i < end; ++i) {
            const double share = (static_cast<double>(i - begin) + 0.5) / heap;
            spread.push_back(heap > 1 ? low + share * (sorted[begin] + above / 2 - low) : sorted[begin]);
        }
        begin = end;
    }
    return spread;
}

/// The median of values that may be infinite.
double middle_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

/// Logarithms of a run's median in bootstrap samples.
class Bootstrap {
  public:
    explicit Bootstrap(const RunSample& run) : run_(run) {
        const auto count = static_cast<double>(run.launches.size());
        // What drawing the starts at hand with replacement shows of the variance from start to start.
        const double shown = variance(logarithms_of_medians(run)) * (count - 1) / count;
        noise_ = std::sqrt(std::max(0.0, run.variance_between - shown));
    }

    double operator()(Random& random) {
        drawn_.clear();
        for (std::size_t i = 0; i < run_.launches.size(); ++i) {
            const auto& launch = run_.launches.size() == 1
                                     ? run_.launches.front()
                                     : run_.launches[random.place(run_.launches.size())];
            const double median = launch.bootstrap_median(random.normal());
            drawn_.push_back(std::log(median) + (noise_ > 0 ? noise_ * random.normal() : 0));
        }
        std::sort(drawn_.begin(), drawn_.end());
        return quantile(drawn_, 0.5);
    }

  private:
    const RunSample& run_;
    double noise_ = 0;
    std::vector<double> drawn_;
};

/// Degrees of freedom of a sum of variances (Welch and Satterthwaite).
class Freedom {
  public:
    void add(double variance, double freedom) {
        sum_ += variance;
        if (freedom > 0) {
            squares_ += variance * variance / freedom;
        }
    }
    [[nodiscard]] double value() const {
        constexpr double as_good_as_known = 1e6;
        return squares_ > 0 ? std::clamp(sum_ * sum_ / squares_, 1.0, as_good_as_known) : as_good_as_known;
    }

  private:
    double sum_ = 0;
    double squares_ = 0;
};

void add_run(Freedom& freedom, const RunSample& run) {
    const auto count = static_cast<double>(run.launches.size());
    freedom.add(run.variance_between / count, run.freedom_between);
    for (const auto& launch : run.launches) {
        freedom.add(launch.relative_error() * launch.relative_error() / (count * count),
                    launch.effective_sample().freedom);
    }
}

}  // namespace

LaunchSample::LaunchSample(std::span<const double> in_order, double longest_step, std::size_t set_aside,
                           bool among)
    : sorted_(in_order.begin(), in_order.end()), set_aside_(set_aside), among_(among) {
    std::sort(sorted_.begin(), sorted_.end());
    effective_sample_ = effective_sample_for_median(in_order, quantile(sorted_, 0.5));
    smooth_ = without_heaps(sorted_, longest_step);
    median_ = quantile(smooth_, 0.5);
    if (!(median_ > 0)) {
        return;
    }
    // The spread of bootstrap medians by Gauss and Hermite's five places: exact up to their ninth power.
    constexpr double far = 2.856970013872806;
    constexpr double near = 1.355626179974266;
    constexpr double weight_far = 0.011257411327720689;
    constexpr double weight_near = 0.22207592200561266;
    const auto square = [&](double place) {
        return std::pow(std::log(bootstrap_median(place) / median_), 2);
    };
    relative_error_ =
        std::sqrt(weight_far * (square(far) + square(-far)) + weight_near * (square(near) + square(-near)));
}

double LaunchSample::bootstrap_median(double normal) const {
    constexpr double least_share = 1e-3;  // of the median: single times may be 0, whose logarithm is none
    const double deviation = 1 / (2 * std::sqrt(effective_sample_.size + 2));
    return std::max(quantile(smooth_, std::clamp(0.5 + deviation * normal, 0.0, 1.0)), least_share * median_);
}

Interval LaunchSample::median_range() const {
    if (set_aside_ == 0) {
        return {.low = median_, .high = median_};
    }
    const auto unknown = static_cast<double>(set_aside_);
    if (among_) {
        // Any of these may belong to either end, and the others move up or down to the middle.
        const double part = unknown / static_cast<double>(smooth_.size());
        return 2 * part >= 1
                   ? Interval{.low = 0, .high = std::numeric_limits<double>::infinity()}
                   : Interval{.low = quantile(smooth_, 0.5 - part), .high = quantile(smooth_, 0.5 + part)};
    }
    const auto known = static_cast<double>(smooth_.size());
    if (unknown >= known) {
        return {.low = 0, .high = std::numeric_limits<double>::infinity()};
    }
    const double middle = (known + unknown) / 2;
    return {.low = quantile(smooth_, (middle - unknown) / known), .high = quantile(smooth_, middle / known)};
}

std::vector<double> LaunchSample::sorted_with_set_aside(bool low) const {
    const auto unknown = static_cast<std::ptrdiff_t>(among_ ? std::min(set_aside_, sorted_.size()) : 0);
    const auto begin = sorted_.begin() + (low ? 0 : unknown);
    const auto end = sorted_.end() - (low ? unknown : 0);
    std::vector<double> all(low ? set_aside_ : 0, 0.0);
    all.insert(all.end(), begin, end);
    all.insert(all.end(), low ? 0 : set_aside_, std::numeric_limits<double>::infinity());
    return all;
}

Interval RunSample::median_range() const {
    std::vector<double> lows;
    std::vector<double> highs;
    for (const auto& launch : launches) {
        const auto range = launch.median_range();
        lows.push_back(range.low);
        highs.push_back(range.high);
    }
    lows.insert(lows.end(), unknown, 0.0);
    highs.insert(highs.end(), unknown, std::numeric_limits<double>::infinity());
    // A median grows with each of its values, so these are its ends.
    return {.low = middle_of(std::move(lows)), .high = middle_of(std::move(highs))};
}

double RunSample::median() const {
    std::vector<double> medians;
    for (const auto& launch : launches) {
        medians.push_back(launch.median());
    }
    return median_of(std::move(medians));
}

bool is_open(const Interval& range) {
    return range.low <= 0 || !std::isfinite(range.high);
}

double variance_of_starts(const RunSample& run) {
    return variance(logarithms_of_medians(run));
}

Ratio ratio_of_medians(const RunSample& first, const RunSample& second, std::uint64_t seed) {
    const double logarithm = std::log(second.median() / first.median());
    Random random(seed);
    Bootstrap draw_first(first);
    Bootstrap draw_second(second);
    std::vector<double> drawn;
    drawn.reserve(samples);
    for (int i = 0; i < samples; ++i) {
        drawn.push_back(draw_second(random) - draw_first(random));
    }
    std::sort(drawn.begin(), drawn.end());
    Ratio ratio{.value = std::exp(logarithm), .range = {}, .ci95 = {}, .error = std::sqrt(variance(drawn))};
    Freedom freedom;
    add_run(freedom, first);
    add_run(freedom, second);
    ratio.freedom = freedom.value();
    const boost::math::students_t student(ratio.freedom);
    const double wider = student_factor(ratio.freedom) / normal_factor;
    const auto end = [&](double share) {
        return std::exp(logarithm + (quantile(drawn, share) - logarithm) * wider);
    };
    const auto of_first = first.median_range();
    const auto of_second = second.median_range();
    ratio.range = {.low = of_second.low / of_first.high, .high = of_second.high / of_first.low};
    ratio.ci95 = {.low = std::min(end(1 - upper), ratio.value), .high = std::max(end(upper), ratio.value)};
    if (!is_open(ratio.range)) {
        ratio.ci95.low *= ratio.range.low / ratio.value;
        ratio.ci95.high *= ratio.range.high / ratio.value;
    }
    constexpr double no_difference = 1e-9;  // of times that rounding alone tells apart
    // How far the end of the range that is nearest to 1 is from it, on this side.
    const double distance = logarithm > 0 ? std::log(ratio.range.low) : -std::log(ratio.range.high);
    if (distance < no_difference) {
        ratio.p_value = 1;
    } else if (ratio.error <= 0) {
        ratio.p_value = 0;
    } else {
        ratio.p_value = 2 * boost::math::cdf(boost::math::complement(student, distance / ratio.error));
    }
    return ratio;
}

}  // namespace fathom::stats
