#include "stats/quantile.hpp"

#include <cmath>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace fathom::stats {
namespace {

/// P(B <= k) for n flips of a coin that falls on this side with probability q, summed term by term.
long double binomial_tail(std::size_t n, std::size_t k, long double q = 0.5L) {
    long double term = std::pow(1 - q, static_cast<long double>(n));
    long double sum = term;
    for (std::size_t i = 1; i <= k; ++i) {
        term *= static_cast<long double>(n - i + 1) / static_cast<long double>(i) * q / (1 - q);
        sum += term;
    }
    return sum;
}

/// Positions (from 0) of the whole order statistics that enclose the interval.
struct OrderInterval {
    std::size_t low;
    std::size_t high;
};

std::optional<OrderInterval> quantile_interval(std::size_t n, double q, double confidence) {
    const auto shares = quantile_shares(static_cast<double>(n), q, confidence);
    if (!shares) {
        return std::nullopt;
    }
    constexpr double rounding = 1e-5;
    const auto place = [&](double share) { return share * static_cast<double>(n + 1) - 1; };
    return OrderInterval{static_cast<std::size_t>(std::floor(place(shares->low) + rounding)),
                         static_cast<std::size_t>(std::ceil(place(shares->high) - rounding))};
}

std::optional<OrderInterval> median_interval(std::size_t n, double confidence) {
    return quantile_interval(n, 0.5, confidence);
}

struct PublishedRanks {
    std::size_t n;
    std::size_t low;
    std::size_t high;
};

// Type 7: h = (n - 1) q, linear between floor(h) and the next. The values are worked out by hand.
TEST(Quantile, InterpolatesAsType7) {
    const std::vector<double> four{10, 20, 40, 80};
    EXPECT_DOUBLE_EQ(quantile(four, 0), 10);
    EXPECT_DOUBLE_EQ(quantile(four, 0.25), 17.5);
    EXPECT_DOUBLE_EQ(quantile(four, 0.5), 30);
    EXPECT_DOUBLE_EQ(quantile(four, 0.75), 50);
    EXPECT_DOUBLE_EQ(quantile(four, 0.9), 68);
    EXPECT_DOUBLE_EQ(quantile(four, 1), 80);
}

TEST(Quantile, TakesTheMiddleOfAnOddNumber) {
    const std::vector<double> five{1, 2, 30, 40, 50};
    EXPECT_DOUBLE_EQ(quantile(five, 0.5), 30);
}

TEST(Quantile, OfOneValueIsThatValue) {
    const std::vector<double> one{7};
    for (const double q : {0.0, 0.25, 0.5, 0.99, 1.0}) {
        EXPECT_DOUBLE_EQ(quantile(one, q), 7);
    }
}

TEST(Quantile, FindsThe99thPercentileOf1To100) {
    std::vector<double> values;
    for (int i = 1; i <= 100; ++i) {
        values.push_back(i);
    }
    EXPECT_NEAR(quantile(values, 0.99), 99.01, 1e-12);  // h = 99 * 0.99 = 98.01
}

TEST(MedianInterval, IsEmptyBelowSixValues) {
    for (std::size_t n = 0; n < 6; ++n) {
        EXPECT_FALSE(median_interval(n, 0.95)) << n;
    }
    EXPECT_TRUE(median_interval(6, 0.95));
}

// Conover, Practical Nonparametric Statistics, and Le Boudec, Performance Evaluation, table A.1 (ranks from
// 1).
TEST(MedianInterval, GivesThePublishedRanksAt95Percent) {
    for (const auto& row :
         {PublishedRanks{6, 1, 6}, PublishedRanks{7, 1, 7}, PublishedRanks{8, 1, 8}, PublishedRanks{9, 2, 8},
          PublishedRanks{10, 2, 9}, PublishedRanks{11, 2, 10}, PublishedRanks{12, 3, 10},
          PublishedRanks{15, 4, 12}, PublishedRanks{17, 5, 13}, PublishedRanks{20, 6, 15},
          PublishedRanks{25, 8, 18}, PublishedRanks{30, 10, 21}, PublishedRanks{50, 18, 33},
          PublishedRanks{70, 27, 44}, PublishedRanks{100, 40, 61}}) {
        const auto interval = median_interval(row.n, 0.95);
        ASSERT_TRUE(interval) << row.n;
        EXPECT_EQ(interval->low + 1, row.low) << row.n;
        EXPECT_EQ(interval->high + 1, row.high) << row.n;
    }
}

TEST(MedianInterval, GivesThePublishedRanksAt99Percent) {
    EXPECT_FALSE(median_interval(7, 0.99));
    for (const auto& row :
         {PublishedRanks{8, 1, 8}, PublishedRanks{10, 1, 10}, PublishedRanks{11, 1, 11},
          PublishedRanks{12, 2, 11}, PublishedRanks{20, 4, 17}, PublishedRanks{100, 37, 64}}) {
        const auto interval = median_interval(row.n, 0.99);
        ASSERT_TRUE(interval) << row.n;
        EXPECT_EQ(interval->low + 1, row.low) << row.n;
        EXPECT_EQ(interval->high + 1, row.high) << row.n;
    }
}

TEST(MedianInterval, CoversAtLeastTheConfidenceAndIsTheNarrowestThatDoes) {
    for (const double confidence : {0.5, 0.9, 0.95, 0.99, 0.999}) {
        for (std::size_t n = 1; n <= 400; ++n) {
            const auto interval = median_interval(n, confidence);
            const long double miss = 1 - static_cast<long double>(confidence);
            if (!interval) {
                EXPECT_GT(2 * binomial_tail(n, 0), miss) << n << " at " << confidence;
                continue;
            }
            EXPECT_EQ(interval->low + interval->high, n - 1) << "not symmetric";
            EXPECT_LE(2 * binomial_tail(n, interval->low), miss + 1e-12L) << n << " at " << confidence;
            if (interval->low + 1 < interval->high) {
                EXPECT_GT(2 * binomial_tail(n, interval->low + 1), miss - 1e-12L)
                    << n << " at " << confidence;
            }
        }
    }
}

TEST(MedianInterval, FollowsTheNormalLimitForAMillionValues) {
    const auto interval = median_interval(1'000'000, 0.95);
    ASSERT_TRUE(interval);
    // n/2 - 1.959964 sqrt(n)/2 = 499020.018
    EXPECT_NEAR(static_cast<double>(interval->low), 499'020, 1);
    EXPECT_EQ(interval->low + interval->high, 999'999U);
}

TEST(QuantileInterval, MissesEitherSideRarelyAndIsTheNarrowestThatDoes) {
    constexpr long double tail = 0.025L;
    for (const double q : {0.01, 0.25, 0.75, 0.9, 0.99}) {
        for (const std::size_t n : {10U, 50U, 100U, 400U, 1000U}) {
            const auto interval = quantile_interval(n, q, 0.95);
            const auto below = [&](std::size_t k) { return binomial_tail(n, k, q); };
            if (!interval) {
                EXPECT_TRUE(below(0) > tail || 1 - below(n - 1) > tail) << n << " at " << q;
                continue;
            }
            EXPECT_LE(below(interval->low), tail) << n << " at " << q;
            EXPECT_GT(below(interval->low + 1), tail) << n << " at " << q;
            EXPECT_LE(1 - below(interval->high), tail) << n << " at " << q;
            EXPECT_GT(1 - below(interval->high - 1), tail) << n << " at " << q;
        }
    }
}

TEST(QuantileInterval, OfTheEndsIsNothing) {
    EXPECT_FALSE(quantile_interval(1'000'000, 0, 0.95));
    EXPECT_FALSE(quantile_interval(1'000'000, 1, 0.95));
}

TEST(QuantileShares, AreThoseOfOrderStatisticsWhereTheseHaveTheConfidence) {
    // The k-th of n from either end misses with P(B < k): with that confidence the place is k itself.
    for (const std::size_t n : {6U, 10U, 25U, 100U, 1000U}) {
        for (const std::size_t k : {1U, 3U, 10U, 480U}) {
            const auto miss = static_cast<double>(binomial_tail(n, k - 1));
            if (2 * k >= n || miss < 1e-9) {
                continue;
            }
            const auto shares = quantile_shares(static_cast<double>(n), 0.5, 1 - 2 * miss);
            ASSERT_TRUE(shares) << k << " of " << n;
            EXPECT_NEAR(shares->low * static_cast<double>(n + 1), static_cast<double>(k), 1e-4) << n;
            EXPECT_NEAR(shares->high * static_cast<double>(n + 1), static_cast<double>(n + 1 - k), 1e-4) << n;
        }
    }
}

TEST(QuantileShares, GetNarrowerWithEveryPartOfAValue) {
    double width = 1;
    for (double n = 6; n < 200; n += 0.25) {
        const auto shares = quantile_shares(n, 0.5, 0.95);
        ASSERT_TRUE(shares) << n;
        EXPECT_LT(shares->high - shares->low, width) << n;
        width = shares->high - shares->low;
    }
}

}  // namespace
}  // namespace fathom::stats
