#include "stats/summary.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "stats/quantile_ci.hpp"

namespace fathom::stats {
namespace {

TEST(Summary, OfNothingIsNothing) {
    EXPECT_FALSE(summarise({}));
}

TEST(Summary, OfOneValueIsThatValueWithoutInterval) {
    const auto summary = summarise({42});
    ASSERT_TRUE(summary);
    EXPECT_EQ(summary->count, 1U);
    EXPECT_DOUBLE_EQ(summary->median, 42);
    EXPECT_DOUBLE_EQ(summary->min, 42);
    EXPECT_DOUBLE_EQ(summary->max, 42);
    EXPECT_DOUBLE_EQ(summary->mean, 42);
    EXPECT_DOUBLE_EQ(summary->p99, 42);
    EXPECT_FALSE(summary->median_ci95);
}

TEST(Summary, HasNoIntervalBelowSixValues) {
    EXPECT_FALSE(summarise({1, 2, 3, 4, 5})->median_ci95);
    const auto six = summarise({1, 6, 2, 5, 3, 4});
    ASSERT_TRUE(six->median_ci95);
    // All six enclose the median with 96.9 %, the inner four with 78.1 %.
    EXPECT_GT(six->median_ci95->low, 1);
    EXPECT_LT(six->median_ci95->low, 1.5);
    EXPECT_DOUBLE_EQ(six->median_ci95->low + six->median_ci95->high, 7);
}

TEST(Summary, OfAShuffledRowIsThatOfTheRow) {
    std::vector<double> values;
    for (int i = 1; i <= 100; ++i) {
        values.push_back(i);
    }
    std::shuffle(values.begin(), values.end(), std::mt19937(1));
    const auto summary = summarise(values);
    ASSERT_TRUE(summary);
    EXPECT_EQ(summary->count, 100U);
    EXPECT_DOUBLE_EQ(summary->median, 50.5);
    EXPECT_DOUBLE_EQ(summary->mean, 50.5);
    EXPECT_DOUBLE_EQ(summary->min, 1);
    EXPECT_DOUBLE_EQ(summary->max, 100);
    EXPECT_NEAR(summary->p99, 99.01, 1e-12);
    ASSERT_TRUE(summary->median_ci95);
    // The 40th and the 61st of independent values; neighbours that happen to be similar widen it.
    EXPECT_GT(summary->median_ci95->low, 36);
    EXPECT_LT(summary->median_ci95->low, 41);
    EXPECT_NEAR(summary->median_ci95->low + summary->median_ci95->high, 101, 1e-9);
}

TEST(Summary, DoesNotLoseSmallValuesFromTheMean) {
    // One tenth is no binary fraction: a plain sum of a million of them drifts in the eleventh digit.
    constexpr int count = 1'000'000;
    const std::vector<double> tenths(count, 0.1);
    double plain = 0;
    for (const double value : tenths) {
        plain += value;
    }
    ASSERT_NE(plain / count, 0.1) << "the example must be one in which a plain sum is wrong";
    EXPECT_DOUBLE_EQ(summarise(tenths)->mean, 0.1);
}

TEST(MedianBounds, AreNoneBelowAsManyAsAnIntervalTakesUnlessTimesAreExact) {
    EXPECT_EQ(std::ceil(least_sample(0.5)), static_cast<double>(least_to_bound_median));
    const std::vector<double> values{3, 1, 2, 5, 4, 6};
    for (std::size_t count = 1; count <= values.size(); ++count) {
        const auto summary = summarise({values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)});
        EXPECT_EQ(median_bounds(*summary).has_value(), count >= least_to_bound_median) << count;
        const auto exact = median_bounds(*summary, true);
        ASSERT_TRUE(exact) << count;
        if (count < least_to_bound_median) {
            EXPECT_EQ(exact->low, summary->min) << count;
            EXPECT_EQ(exact->high, summary->max) << count;
        }
    }
}

}  // namespace
}  // namespace fathom::stats
