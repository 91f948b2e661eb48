#include "stats/median_ci.hpp"

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <boost/math/constants/constants.hpp>
#include <gtest/gtest.h>

#include "stats/independent_count.hpp"
#include "stats/quantile.hpp"
#include "stats/series.hpp"
#include "stats/stopping/stop_rule.hpp"

namespace fathom::stats {
namespace {

constexpr int trials = 10'000;

/// The share of intervals that hold the true value, of as many trials.
double coverage(double truth, const std::function<std::optional<Interval>()>& interval) {
    int held = 0;
    for (int trial = 0; trial < trials; ++trial) {
        const auto found = interval();
        held += found && found->low <= truth && truth <= found->high ? 1 : 0;
    }
    return static_cast<double>(held) / trials;
}

std::optional<Interval> median_interval_of(const std::vector<double>& series) {
    const auto found = median_ci95(series);
    return found ? std::optional(found->interval) : std::nullopt;
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

TEST(MedianCi, HoldsTheTrueMedianIn95Of100WhateverTheShape) {
    for (const auto& shape : shapes()) {
        for (const std::size_t n : {6U, 8U, 10U, 14U, 20U, 30U, 50U, 100U}) {
            std::mt19937_64 random(7 + n);
            const auto share = coverage(shape.median, [&] {
                return median_interval_of(mapped(correlated(random, n, 0), shape.of_normal));
            });
            EXPECT_GT(share, 0.93) << shape.name << ", " << n;
            EXPECT_LT(share, 0.97) << shape.name << ", " << n;
            RecordProperty(std::string(shape.name) + " " + std::to_string(n), std::to_string(share));
        }
    }
}

TEST(MedianCi, HoldsItIn95Of100OfManyValues) {
    for (const auto& shape : shapes()) {
        std::mt19937_64 random(11);
        const auto share = coverage(shape.median, [&] {
            return median_interval_of(mapped(correlated(random, 1000, 0), shape.of_normal));
        });
        EXPECT_GT(share, 0.93) << shape.name;
        EXPECT_LT(share, 0.97) << shape.name;
        RecordProperty(shape.name, std::to_string(share));
    }
}

TEST(MedianCi, HoldsItIn95Of100OfSeriesThatRepeatThemselves) {
    struct Row {
        double correlation;
        std::vector<std::size_t> counts;
    };
    for (const auto& row : {Row{0.3, {20, 30, 50, 100, 1000}}, Row{0.6, {40, 50, 200, 1000}},
                            Row{0.8, {50, 100}}, Row{0.9, {100, 200, 1000}}}) {
        for (const auto n : row.counts) {
            std::mt19937_64 random(13 + n);
            const auto share = coverage(1, [&] {
                return median_interval_of(
                    mapped(correlated(random, n, row.correlation), [](double x) { return std::exp(x); }));
            });
            EXPECT_GT(share, 0.93) << row.correlation << ", " << n;
            EXPECT_LT(share, 0.97) << row.correlation << ", " << n;
            RecordProperty(std::to_string(row.correlation) + " " + std::to_string(n), std::to_string(share));
        }
    }
}

/// Stopping when the interval happens to be narrow costs a little of what it holds.
TEST(MedianCi, HoldsItNearlyAsOftenWhenItSaysWhenToStop) {
    for (const double correlation : {0.0, 0.6}) {
        std::mt19937_64 random(17);
        std::normal_distribution<double> noise;
        int held = 0;
        constexpr int stops = 3000;
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
        EXPECT_GT(share, 0.9) << correlation;
        EXPECT_LT(share, 0.97) << correlation;
        RecordProperty(std::to_string(correlation), std::to_string(share));
    }
}

TEST(QuantileCi, HoldsTheTrueQuantileIn95Of100) {
    struct Row {
        double share;
        double correlation;
        std::size_t count;
        double truth;
    };
    for (const auto& row : {Row{0.75, 0, 40, 0.6744898}, Row{0.9, 0, 400, 1.2815516},
                            Row{0.99, 0, 1000, 2.3263479}, Row{0.9, 0.6, 1000, 1.2815516}}) {
        std::mt19937_64 random(19);
        const auto share = coverage(row.truth, [&] {
            return quantile_ci95(correlated(random, row.count, row.correlation), row.share);
        });
        EXPECT_GT(share, 0.93) << row.share << ", " << row.count << ", " << row.correlation;
        EXPECT_LT(share, 0.97) << row.share << ", " << row.count << ", " << row.correlation;
        RecordProperty(std::to_string(row.share) + " " + std::to_string(row.correlation),
                       std::to_string(share));
    }
}

TEST(MedianCi, IsThatOfOrderStatisticsForFewValues) {
    const std::vector<double> values{5, 1, 4, 2, 3, 9, 8, 7, 6, 10};
    const auto found = median_ci95(values);
    const auto places = median_interval(10, 0.95);
    ASSERT_TRUE(found && places);
    EXPECT_DOUBLE_EQ(found->median, 5.5);
    // The second and the ninth of ten enclose it with 97.9 %, the third and the eighth with 89.1 %.
    EXPECT_GT(found->interval.low, static_cast<double>(places->low + 1));
    EXPECT_LT(found->interval.low, static_cast<double>(places->low + 2));
    EXPECT_LT(found->interval.high, static_cast<double>(places->high + 1));
    EXPECT_GT(found->interval.high, static_cast<double>(places->high));
    EXPECT_DOUBLE_EQ(found->interval.low + found->interval.high, 11);
}

TEST(MedianCi, NeedsSixValues) {
    EXPECT_FALSE(median_ci95({}));
    EXPECT_FALSE(median_ci95(std::vector<double>{1, 2, 3, 4, 5}));
    EXPECT_TRUE(median_ci95(std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(IndependentCount, OfIndependentValuesIsAboutTheirNumber) {
    std::mt19937_64 random(3);
    std::vector<double> values(1000);
    for (auto& value : values) {
        value = static_cast<double>(random() % 1000);
    }
    EXPECT_GT(independent_count(values, 500), 750) << "chance alone takes a little";
    EXPECT_EQ(independent_count(std::vector<double>(values.begin(), values.begin() + 10), 500), 10);
}

TEST(IndependentCount, FollowsTheArcsineLawOfNormalSeries) {
    // The sides of two normal values of correlation r agree on average by 2 / pi asin r.
    for (const double correlation : {0.3, 0.6, 0.9}) {
        double factor = 1;
        for (int lag = 1; lag < 400; ++lag) {
            factor += 4 / boost::math::constants::pi<double>() * std::asin(std::pow(correlation, lag));
        }
        std::mt19937_64 random(23);
        double worth = 0;
        constexpr int series = 50;
        constexpr std::size_t n = 20'000;
        for (int i = 0; i < series; ++i) {
            worth += independent_count(correlated(random, n, correlation), 0) / series;
        }
        EXPECT_NEAR(worth / (n / factor), 1, 0.06) << correlation;
    }
}

TEST(IndependentCount, SeesWhatIsAlikeOverThousandsOfValues) {
    // Levels of 2000 values each, like an occasionally changing clock speed: the effective sample size is
    // about the number of levels.
    std::mt19937_64 random(29);
    std::normal_distribution<double> noise;
    std::vector<double> values;
    for (int level = 0; level < 30; ++level) {
        values.insert(values.end(), 2000, noise(random));
    }
    const double worth = independent_count(values, 0);
    EXPECT_GT(worth, 8);
    EXPECT_LT(worth, 45);
}

TEST(IndependentCount, OfAlternatingValuesIsNoMoreThanTheirNumber) {
    std::vector<double> values(100);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<double>(i % 2);
    }
    EXPECT_EQ(independent_count(values, 0.5), 100);
    EXPECT_EQ(independent_count(std::vector<double>(100, 7.0), 7), 100) << "equal values";
}

TEST(MedianCi, OfALongSeriesWhoseLevelChangesOnceIsWideButThere) {
    std::vector<double> series;
    for (int i = 0; i < 2'000; ++i) {
        series.push_back((i < 1'000 ? 100 : 200) + i % 7);
    }
    const auto found = median_ci95(series);
    ASSERT_TRUE(found);
    EXPECT_LT(found->interval.low, 107);
    EXPECT_GE(found->interval.high, 200);
}

}  // namespace
}  // namespace fathom::stats
