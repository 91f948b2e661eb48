#include "stats/median_ci.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "stats/quantile.hpp"

namespace fathom::stats {
namespace {

/// How often the interval of a series misses the true median, 0, in a thousand trials.
int misses(double correlation) {
    std::mt19937_64 random(7);
    std::normal_distribution<double> noise;
    int count = 0;
    for (int trial = 0; trial < 1000; ++trial) {
        std::vector<double> series;
        double last = noise(random);
        for (int i = 0; i < 400; ++i) {
            last = correlation * last + std::sqrt(1 - correlation * correlation) * noise(random);
            series.push_back(last);
        }
        const auto found = median_ci95(series);
        count += found && found->interval.low <= 0 && found->interval.high >= 0 ? 0 : 1;
    }
    return count;
}

TEST(MedianCi, HoldsTheTrueMedianInAtLeast95Of100) {
    EXPECT_LE(misses(0), 60);
}

TEST(MedianCi, HoldsItForSeriesThatRepeatThemselvesToo) {
    // The side of the median forgets faster than the value itself, so a few more are missed than 5 %.
    EXPECT_LE(misses(0.5), 120);
    EXPECT_LE(misses(0.9), 220);
}

TEST(MedianCi, IsThatOfOrderStatisticsForFewValues) {
    const std::vector<double> values{5, 1, 4, 2, 3, 9, 8, 7, 6, 10};
    const auto found = median_ci95(values);
    const auto places = median_interval(10, 0.95);
    ASSERT_TRUE(found && places);
    EXPECT_DOUBLE_EQ(found->median, 5.5);
    EXPECT_DOUBLE_EQ(found->interval.low, static_cast<double>(places->low + 1));
    EXPECT_DOUBLE_EQ(found->interval.high, static_cast<double>(places->high + 1));
}

TEST(MedianCi, NeedsSixValues) {
    EXPECT_FALSE(median_ci95({}));
    EXPECT_FALSE(median_ci95(std::vector<double>{1, 2, 3, 4, 5}));
    EXPECT_TRUE(median_ci95(std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(IndependentCount, OfIndependentValuesIsTheirNumber) {
    std::mt19937_64 random(3);
    std::vector<double> values(1000);
    for (auto& value : values) {
        value = static_cast<double>(random() % 1000);
    }
    EXPECT_GT(independent_count(values, 500), 750) << "chance alone takes a little";
    EXPECT_LT(independent_count(std::vector<double>(values.begin(), values.begin() + 10), 500), 11);
}

}  // namespace
}  // namespace fathom::stats
