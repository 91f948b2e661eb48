#include "stats/reduction.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "stats/summary.hpp"

namespace fathom::stats {
namespace {

Reduced reduced(const std::string& name, const std::vector<double>& values) {
    return Reduction::parse(name).reduce(values).value();
}

/// A series in which each value resembles the one before.
std::vector<double> series(std::mt19937_64& random, std::size_t count, double correlation) {
    std::normal_distribution<double> noise;
    std::vector<double> values(count);
    double last = noise(random);
    for (auto& value : values) {
        last = correlation * last + std::sqrt(1 - correlation * correlation) * noise(random);
        value = last;
    }
    return values;
}

/// How often in a thousand series the interval misses the true value.
int misses(const std::string& name, double truth, std::size_t count) {
    std::mt19937_64 random(11);
    const auto reduction = Reduction::parse(name);
    int missed = 0;
    for (int trial = 0; trial < 1000; ++trial) {
        const auto found = reduction.reduce(series(random, count, 0));
        missed += found->ci95->low <= truth && truth <= found->ci95->high ? 0 : 1;
    }
    return missed;
}

TEST(Reduction, GivesItsNameBack) {
    for (const auto* name : {"median", "mean", "min", "max", "skampi-middle", "p0", "p75", "p99.9", "p100"}) {
        EXPECT_EQ(Reduction::parse(name).name(), name);
    }
}

TEST(Reduction, HasNoIntervalOfTheMedianWhereTheLevelChangesOnce) {
    // An effective sample size of about two: half of it on one level, half on another.
    std::mt19937_64 random(5);
    std::normal_distribution<double> noise;
    std::vector<double> values(10'000);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = (i < values.size() / 2 ? 100 : 120) + noise(random);
    }
    for (const auto* name : {"median", "p50", "p99"}) {
        EXPECT_FALSE(reduced(name, values).ci95) << name;
    }
}

TEST(Reduction, RefusesOtherNamesAndSaysWhatToGive) {
    for (const auto* name : {"", "p", "average", "Median", "q50", "p101", "p100.1", "p-1", "p+1", "p1e1",
                             "pinf", "pnan", "p5 ", " p5", "p1.2.3", "50"}) {
        EXPECT_THROW(Reduction::parse(name), BadInput) << name;
    }
    try {
        Reduction::parse("average");
    } catch (const BadInput& error) {
        EXPECT_STREQ(error.what(), "give median, mean, min, max, skampi-middle or a quantile such as p99");
    }
}

TEST(Reduction, OfNothingIsNothing) {
    for (const auto* name : {"median", "mean", "min", "max", "skampi-middle", "p99"}) {
        EXPECT_FALSE(Reduction::parse(name).reduce({})) << name;
    }
}

TEST(Reduction, OfOneValueIsThatValueWithoutInterval) {
    for (const auto* name : {"median", "mean", "min", "max", "skampi-middle", "p0", "p99", "p100"}) {
        EXPECT_EQ(reduced(name, {7}).value, 7) << name;
        EXPECT_FALSE(reduced(name, {7}).ci95) << name;
    }
}

TEST(Reduction, ToTheMedianIsThatOfTheSummary) {
    std::mt19937_64 random(1);
    for (const double correlation : {0.0, 0.6}) {
        for (const std::size_t count : {1U, 5U, 6U, 49U, 200U, 1001U}) {
            const auto values = series(random, count, correlation);
            const auto found = reduced("median", values);
            const auto summary = summarise(values);
            EXPECT_EQ(found.value, summary->median);
            ASSERT_EQ(found.ci95.has_value(), summary->median_ci95.has_value());
            if (found.ci95) {
                EXPECT_EQ(found.ci95->low, summary->median_ci95->low);
                EXPECT_EQ(found.ci95->high, summary->median_ci95->high);
            }
            EXPECT_EQ(reduced("mean", values).value, summary->mean);
            EXPECT_EQ(reduced("p99", values).value, summary->p99);
            EXPECT_EQ(reduced("p50", values).value, summary->median);
            EXPECT_EQ(reduced("min", values).value, summary->min);
            EXPECT_EQ(reduced("max", values).value, summary->max);
        }
    }
}

TEST(Reduction, ToTheMeanHasStudentsInterval) {
    const auto found = reduced("mean", {5, 1, 4, 2, 3});
    EXPECT_DOUBLE_EQ(found.value, 3);
    ASSERT_TRUE(found.ci95);
    const double reach = 2.7764451 * std::sqrt(2.5 / 5);  // t of 4 degrees of freedom
    EXPECT_NEAR(found.ci95->low, 3 - reach, 1e-6);
    EXPECT_NEAR(found.ci95->high, 3 + reach, 1e-6);
}

TEST(Reduction, ToTheMiddleHalfIsSkampis) {
    const auto found = reduced("skampi-middle", {200, 0, 1e9, 0, 110, 90, 110, 90});
    EXPECT_DOUBLE_EQ(found.value, 100);
    ASSERT_TRUE(found.ci95);
    // The values cut off count as 90 and 110: deviation sqrt(800 / 7), doubled for the half kept, by the root
    // of 8; t of 4 - 1 degrees of freedom.
    const double reach = 3.1824463 * 2 * std::sqrt(800 / 7.0) / std::sqrt(8);
    EXPECT_NEAR(found.ci95->low, 100 - reach, 1e-5);
    EXPECT_NEAR(found.ci95->high, 100 + reach, 1e-5);
}

TEST(Reduction, HasIntervalsThatHoldTheTruthIn95Of100) {
    for (const auto* name : {"mean", "skampi-middle"}) {
        EXPECT_GE(misses(name, 0, 40), 25) << name;
        EXPECT_LE(misses(name, 0, 40), 75) << name;
    }
    EXPECT_LE(misses("p75", 0.6744898, 100), 60);
    EXPECT_LE(misses("p90", 1.2815516, 400), 60);
}

TEST(Reduction, HasWiderIntervalsForCorrelatedSeries) {
    std::mt19937_64 random(5);
    const auto values = series(random, 1000, 0.9);
    auto shuffled = values;
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    for (const auto* name : {"median", "mean", "skampi-middle", "p75"}) {
        const auto correlated = reduced(name, values);
        const auto independent = reduced(name, shuffled);
        EXPECT_EQ(correlated.value, independent.value) << name;
        EXPECT_GT(correlated.ci95->high - correlated.ci95->low,
                  2 * (independent.ci95->high - independent.ci95->low))
            << name;
    }
}

TEST(Reduction, ToAQuantileNeedsEnoughValuesBeyondIt) {
    // 0.99^n is at most 2.5 % from 368 independent values on.
    std::mt19937_64 random(3);
    const auto values = series(random, 600, 0);
    EXPECT_TRUE(reduced("p99", values).ci95);
    EXPECT_FALSE(reduced("p99", {values.begin(), values.begin() + 367}).ci95);
    EXPECT_FALSE(reduced("p99.9", values).ci95);
    EXPECT_TRUE(reduced("p1", values).ci95);
}

TEST(Reduction, ToTheEndsHasNoInterval) {
    std::mt19937_64 random(4);
    const auto values = series(random, 10'000, 0);
    for (const auto* name : {"min", "max", "p0", "p100"}) {
        EXPECT_FALSE(reduced(name, values).ci95) << name;
    }
    EXPECT_EQ(reduced("p0", values).value, reduced("min", values).value);
    EXPECT_EQ(reduced("p100", values).value, reduced("max", values).value);
}

}  // namespace
}  // namespace fathom::stats
