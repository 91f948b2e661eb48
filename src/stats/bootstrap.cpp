#include "stats/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <boost/math/distributions/students_t.hpp>

#include "stats/dice.hpp"
#include "stats/quantile.hpp"

namespace fathom::stats {
namespace {

constexpr int samples = 1'000;
constexpr double upper = 0.975;

double variance_of(std::span<const double> values) {
    if (values.size() < 2) {
        return 0;
    }
    const auto count = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    double squares = 0;
    for (const double value : values) {
        squares += (value - mean) * (value - mean);
    }
    return squares / (count - 1);
}

double median_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return quantile(values, 0.5);
}

std::vector<double> logarithms_of_medians(const RunSample& run) {
    std::vector<double> logs;
    for (const auto& start : run.starts) {
        logs.push_back(std::log(start.median()));
    }
    return logs;
}

/// Logarithms of a run's median in bootstrap samples.
class Bootstrap {
  public:
    explicit Bootstrap(const RunSample& run) : run_(run) {
        const auto count = static_cast<double>(run.starts.size());
        // What drawing the starts at hand with replacement shows of the variance from start to start.
        const double shown = variance_of(logarithms_of_medians(run)) * (count - 1) / count;
        noise_ = std::sqrt(std::max(0.0, run.variance_between - shown));
    }

    double operator()(Dice& dice) {
        drawn_.clear();
        for (std::size_t i = 0; i < run_.starts.size(); ++i) {
            const auto& start =
                run_.starts.size() == 1 ? run_.starts.front() : run_.starts[dice.place(run_.starts.size())];
            const double median = start.bootstrap_median(dice.normal());
            drawn_.push_back(std::log(median) + (noise_ > 0 ? noise_ * dice.normal() : 0));
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
    const auto count = static_cast<double>(run.starts.size());
    freedom.add(run.variance_between / count, run.freedom_between);
    for (const auto& start : run.starts) {
        freedom.add(start.relative_error() * start.relative_error() / (count * count), start.worth().freedom);
    }
}

}  // namespace

StartSample::StartSample(std::span<const double> in_order) : sorted_(in_order.begin(), in_order.end()) {
    std::sort(sorted_.begin(), sorted_.end());
    median_ = quantile(sorted_, 0.5);
    worth_ = effective_count(in_order, median_);
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

double StartSample::bootstrap_median(double normal) const {
    constexpr double least_share = 1e-3;  // of the median: single times may be 0, whose logarithm is none
    const double deviation = 1 / (2 * std::sqrt(worth_.count + 2));
    return std::max(quantile(sorted_, std::clamp(0.5 + deviation * normal, 0.0, 1.0)), least_share * median_);
}

double RunSample::median() const {
    std::vector<double> medians;
    for (const auto& start : starts) {
        medians.push_back(start.median());
    }
    return median_of(std::move(medians));
}

double variance_of_starts(const RunSample& run) {
    return variance_of(logarithms_of_medians(run));
}

Ratio ratio_of_medians(const RunSample& first, const RunSample& second, std::uint64_t seed) {
    const double logarithm = std::log(second.median() / first.median());
    Dice dice(seed);
    Bootstrap draw_first(first);
    Bootstrap draw_second(second);
    std::vector<double> drawn;
    drawn.reserve(samples);
    for (int i = 0; i < samples; ++i) {
        drawn.push_back(draw_second(dice) - draw_first(dice));
    }
    std::sort(drawn.begin(), drawn.end());
    Ratio ratio{.value = std::exp(logarithm), .ci95 = {}, .error = std::sqrt(variance_of(drawn))};
    Freedom freedom;
    add_run(freedom, first);
    add_run(freedom, second);
    ratio.freedom = freedom.value();
    const boost::math::students_t student(ratio.freedom);
    constexpr double normal_reach = 1.959963984540054;
    const double wider = boost::math::quantile(student, upper) / normal_reach;
    const auto end = [&](double share) {
        return std::exp(logarithm + (quantile(drawn, share) - logarithm) * wider);
    };
    ratio.ci95 = {.low = std::min(end(1 - upper), ratio.value), .high = std::max(end(upper), ratio.value)};
    constexpr double no_difference = 1e-9;  // of times that rounding alone tells apart
    if (std::abs(logarithm) < no_difference) {
        ratio.p_value = 1;
    } else if (ratio.error <= 0) {
        ratio.p_value = 0;
    } else {
        ratio.p_value =
            2 * boost::math::cdf(boost::math::complement(student, std::abs(logarithm) / ratio.error));
    }
    return ratio;
}

}  // namespace fathom::stats
