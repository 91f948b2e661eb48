#include "stats/quantile_ci.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "stats/quantile.hpp"
#include "stats/series.hpp"
#include "stats/stopping/stop_rule.hpp"

namespace fathom::stats {
namespace {

/// The standard error of a share of 95 % is then 0.5 %.
constexpr int trials = 2'000;

/// Of as many series.
struct Coverage {
    double held = 0;   ///< share of intervals that hold the true value
    double wrong = 0;  ///< share of series whose interval does not
    double none = 0;   ///< share of series without an interval
};

Coverage coverage(double truth, const std::function<std::optional<Interval>()>& interval) {
    int held = 0;
    int wrong = 0;
    for (int trial = 0; trial < trials; ++trial) {
        if (const auto found = interval()) {
            ++(found->low <= truth && truth <= found->high ? held : wrong);
        }
    }
    return {.held = static_cast<double>(held) / std::max(1, held + wrong),
            .wrong = static_cast<double>(wrong) / trials,
            .none = 1 - static_cast<double>(held + wrong) / trials};
}

std::optional<Interval> median_interval_of(const std::vector<double>& series) {
    return quantile_estimate(series, 0.5).ci95;
}

/// A distribution made of normal values, and its median.
struct Shape {
    const char* name;
    double (*of_normal)(double);
    double median;
};

const std::vector<Shape>& shapes() {
    static const std::vector<Shape> all{
        {"normal", [](double x) { return 1000 + 20 * x; }, 1000},
        {"log-normal", [](double x) { return std::exp(0.5 * x); }, 1},
        // The upper tail has no variance: it falls with the power 1.5.
        {"heavily skewed", [](double x) { return std::pow(std::erfc(x / std::sqrt(2.0)) / 2, -1 / 1.5); },
         std::pow(0.5, -1 / 1.5)}};
    return all;
}

TEST(MedianCi, HoldsTheTrueMedianWhateverTheShape) {
    struct Row {
        std::size_t count;
        double none;  ///< at most this share has none: chance looks like correlation
    };
    for (const auto& shape : shapes()) {
        for (const auto& row :
             {Row{20, 0.2}, Row{30, 0.05}, Row{50, 0.01}, Row{100, 0.002}, Row{1000, 0.0005}}) {
            std::mt19937_64 random(7 + row.count);
            const auto share = coverage(shape.median, [&] {
                return median_interval_of(mapped(correlated(random, row.count, 0), shape.of_normal));
            });
            EXPECT_GT(share.held, 0.93) << shape.name << ", " << row.count;
            EXPECT_LT(share.none, row.none) << shape.name << ", " << row.count;
            RecordProperty(std::string(shape.name) + " " + std::to_string(row.count),
                           std::to_string(share.held));
        }
    }
}

/// What it costs that correlation cannot be ruled out.
TEST(MedianCi, OfIndependentValuesIsLittleWiderThanIfThatWereKnown) {
    struct Row {
        std::size_t count;
        double ratio;
    };
    for (const auto& row : {Row{20, 1.5}, Row{50, 1.3}, Row{100, 1.2}, Row{1000, 1.06}}) {
        std::mt19937_64 random(43 + row.count);
        double judged = 0;
        double known = 0;
        for (int trial = 0; trial < 500; ++trial) {
            auto series = correlated(random, row.count, 0);
            const auto own = quantile_estimate(series, 0.5).ci95;
            std::sort(series.begin(), series.end());
            const auto best =
                quantile_estimate(series, 0.5, [&](double) { return static_cast<double>(row.count); }).ci95;
            ASSERT_TRUE(best);
            if (own) {
                judged += own->high - own->low;
                known += best->high - best->low;
            }
        }
        EXPECT_LT(judged / known, row.ratio) << row.count;
        EXPECT_GE(judged / known, 1) << row.count;
        RecordProperty(std::to_string(row.count), std::to_string(judged / known));
    }
}

double log_normal(double x) {
    return std::exp(x);
}

TEST(MedianCi, HoldsItIn93Of100OfCorrelatedSeriesThatAreLongEnough) {
    struct Row {
        double correlation;
        std::vector<std::size_t> counts;
    };
    for (const auto& row :
         {Row{0.3, {50, 100, 1000}}, Row{0.6, {100, 200, 1000}}, Row{0.8, {200, 1000}}, Row{0.9, {1000}}}) {
        for (const auto n : row.counts) {
            std::mt19937_64 random(13 + n);
            const auto share = coverage(1, [&] {
                return median_interval_of(mapped(correlated(random, n, row.correlation), log_normal));
            });
            EXPECT_GT(share.held, 0.93) << row.correlation << ", " << n;
            EXPECT_LT(share.none, 0.05) << row.correlation << ", " << n;
            RecordProperty(std::to_string(row.correlation) + " " + std::to_string(n),
                           std::to_string(share.held));
        }
    }
}

/// Few values of strong correlation: most series have no interval, and hardly any a wrong one.
TEST(MedianCi, IsWrongInAtMost7Of100SeriesHoweverShortAndCorrelated) {
    for (const double correlation : {0.3, 0.6, 0.8, 0.9}) {
        for (const std::size_t n : {20U, 25U, 30U, 50U, 100U}) {
            std::mt19937_64 random(13 + n);
            const auto share = coverage(1, [&] {
                return median_interval_of(mapped(correlated(random, n, correlation), log_normal));
            });
            EXPECT_LT(share.wrong, 0.07) << correlation << ", " << n;
            RecordProperty(std::to_string(correlation) + " " + std::to_string(n),
                           std::to_string(share.wrong));
        }
    }
}

TEST(QuantileCi, IsThereForInnerQuantilesWhereItIsForOuterOnes) {
    // A slow level that one value in seven has: it governs p90, while single spikes make p99.
    std::mt19937_64 random(37);
    std::normal_distribution<double> noise;
    for (const int stretch : {5, 50, 500}) {
        std::vector<double> series;
        for (int i = 0; i < 7'000; ++i) {
            const bool spike = random() % 50 == 0;
            series.push_back((i / stretch % 7 == 0 ? 120 : 100) + (spike ? 100 : 0) + noise(random));
        }
        bool inner = true;
        for (const double q : {0.5, 0.9, 0.99, 0.999}) {
            const bool own = quantile_estimate(series, q).ci95.has_value();
            EXPECT_TRUE(inner || !own) << q << ", " << stretch;
            inner = own;
        }
    }
}

/// Stopping when the interval happens to be narrow costs a little of what it holds.
TEST(MedianCi, HoldsItNearlyAsOftenWhenItSaysWhenToStop) {
    for (const double correlation : {0.0, 0.6}) {
        std::mt19937_64 random(17);
        std::normal_distribution<double> noise;
        int held = 0;
        constexpr int stops = 1000;
        for (int trial = 0; trial < stops; ++trial) {
            const auto rule = median_ci_rule(0.05);
            std::vector<double> all;
            double last = noise(random);
            while (!rule->reached() && all.size() < 20'000) {
                std::vector<double> batch(50);
                for (auto& value : batch) {
                    value = std::exp(0.15 * last);
                    last = correlation * last + std::sqrt(1 - correlation * correlation) * noise(random);
                }
                rule->add(batch);
                all.insert(all.end(), batch.begin(), batch.end());
            }
            const auto found = median_interval_of(all);
            ASSERT_TRUE(found);
            held += found->low <= 1 && 1 <= found->high ? 1 : 0;
        }
        const auto share = static_cast<double>(held) / stops;
        EXPECT_GT(share, 0.92) << correlation;
        RecordProperty(std::to_string(correlation), std::to_string(share));
    }
}

TEST(QuantileCi, HoldsTheTrueQuantile) {
    struct Row {
        double share;
        double correlation;
        std::size_t count;
        double truth;
    };
    for (const auto& row : {Row{0.75, 0, 60, 0.6744898}, Row{0.9, 0, 400, 1.2815516},
                            Row{0.99, 0, 1000, 2.3263479}, Row{0.9, 0.6, 1000, 1.2815516}}) {
        std::mt19937_64 random(19);
        const auto share = coverage(row.truth, [&] {
            return quantile_estimate(correlated(random, row.count, row.correlation), row.share).ci95;
        });
        EXPECT_GT(share.held, 0.93) << row.share << ", " << row.count << ", " << row.correlation;
        EXPECT_LT(share.none, 0.05) << row.share << ", " << row.count << ", " << row.correlation;
        RecordProperty(std::to_string(row.share) + " " + std::to_string(row.correlation),
                       std::to_string(share.held));
    }
}

TEST(MedianCi, IsThatOfOrderStatistics) {
    const std::vector<double> sorted{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const auto found = quantile_estimate(sorted, 0.5, [](double) { return 10; });
    ASSERT_TRUE(found.ci95);
    EXPECT_DOUBLE_EQ(found.value, 5.5);
    // The second and the ninth of ten enclose it with 97.9 %, the third and the eighth with 89.1 %.
    EXPECT_GT(found.ci95->low, 2);
    EXPECT_LT(found.ci95->low, 3);
    EXPECT_LT(found.ci95->high, 9);
    EXPECT_GT(found.ci95->high, 8);
    EXPECT_DOUBLE_EQ(found.ci95->low + found.ci95->high, 11);
}

TEST(MedianCi, NeedsAnEffectiveSampleSizeOfSix) {
    EXPECT_NEAR(least_sample(0.5), 5.32, 0.01);
    std::vector<double> trend(20);
    std::iota(trend.begin(), trend.end(), 0);
    EXPECT_FALSE(quantile_estimate(trend, 0.5, [](double) { return 5; }).ci95);
    EXPECT_TRUE(quantile_estimate(trend, 0.5, [](double) { return 6; }).ci95);
    EXPECT_FALSE(median_interval_of(trend));
    EXPECT_FALSE(median_interval_of({7, 7, 7, 7, 7}));
}

TEST(MedianCi, OfFewValuesIsThatOfTheLeastSample) {
    const auto found = median_interval_of({1, 2, 3, 4, 5, 6});
    ASSERT_TRUE(found) << "six values say nothing of correlation";
    EXPECT_NEAR(found->low, 1.107, 1e-3) << "as of an effective sample size of 5.32, the least";
    EXPECT_NEAR(found->high, 5.893, 1e-3);
    // A trend has one in ever fewer cases: never from 20 values on.
    bool before = true;
    for (std::size_t n = 6; n <= 20; ++n) {
        std::vector<double> trend(n);
        std::iota(trend.begin(), trend.end(), 0);
        const bool own = median_interval_of(trend).has_value();
        EXPECT_TRUE(before || !own) << n;
        before = own;
    }
}

TEST(MedianCi, OfALongSeriesWhoseLevelChangesOnceDoesNotExist) {
    std::vector<double> series;
    for (int i = 0; i < 2'000; ++i) {
        series.push_back((i < 1'000 ? 100 : 200) + i % 7);
    }
    const auto found = quantile_estimate(series, 0.5);
    EXPECT_FALSE(found.ci95);
    EXPECT_LT(found.sample_size, 6);
}

TEST(MedianCi, DoesNotChangeItsNatureWithTheNumberOfValues) {
    // Around 200 values there once was a step. The same series, value by value longer.
    std::mt19937_64 random(41);
    const auto all = correlated(random, 400, 0.8);
    double last = 0;
    for (std::size_t n = 150; n < all.size(); ++n) {
        const auto found = quantile_estimate(std::span(all).first(n), 0.5);
        ASSERT_TRUE(found.ci95) << n;
        const double width = found.ci95->high - found.ci95->low;
        EXPECT_LT(std::abs(std::log(width / (n == 150 ? width : last))), std::log(1.6)) << n;
        last = width;
    }
}

}  // namespace
}  // namespace fathom::stats
