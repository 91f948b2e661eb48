#include "stats/stopping/stop_rule.hpp"

#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::stats {
namespace {

using ::testing::HasSubstr;

std::vector<double> normal(std::mt19937_64& random, std::size_t count, double mean, double deviation) {
    std::normal_distribution<double> distribution(mean, deviation);
    std::vector<double> values(count);
    for (auto& value : values) {
        value = distribution(random);
    }
    return values;
}

TEST(FixedRule, CountsAndNothingElse) {
    const auto rule = fixed_rule(5);
    rule->add(std::vector<double>{1, 100, 1});
    EXPECT_FALSE(rule->reached());
    EXPECT_EQ(rule->state(), "3 of 5 repetitions were valid");
    rule->add(std::vector<double>{1, 1});
    EXPECT_TRUE(rule->reached());
}

TEST(MedianCiRule, StopsWhenTheIntervalIsNarrowEnough) {
    std::mt19937_64 random(1);
    const auto rule = median_ci_rule(0.02);
    std::size_t count = 0;
    while (!rule->reached()) {
        ASSERT_LT(count, 100'000U);
        rule->add(normal(random, 50, 1000, 100));
        count += 50;
    }
    // The interval of a normal median is about 2 x 1.96 x 1.253 x deviation / sqrt(n): 2 % takes some 600.
    EXPECT_GT(count, 250U);
    EXPECT_LT(count, 1'200U);
}

TEST(MedianCiRule, NeedsMoreOfASeriesThatRepeatsItself) {
    std::mt19937_64 random(2);
    const auto needed = [&](bool correlated) {
        const auto rule = median_ci_rule(0.02);
        std::size_t count = 0;
        double last = 0;
        while (!rule->reached() && count < 100'000) {
            auto values = normal(random, 50, 0, 60);
            for (auto& value : values) {
                last = correlated ? 0.9 * last + value : value;
                value = 1000 + last;
            }
            rule->add(values);
            count += 50;
        }
        return count;
    };
    EXPECT_GT(needed(true), 5 * needed(false));
}

TEST(MedianCiRule, SaysHowFarItIs) {
    const auto rule = median_ci_rule(0.02);
    rule->add(std::vector<double>{1, 8, 2});
    EXPECT_EQ(rule->state(), "") << "three have no interval";
    rule->add(std::vector<double>{7, 3, 6, 4, 5});
    EXPECT_FALSE(rule->reached());
    EXPECT_THAT(rule->state(), HasSubstr("target 2.0 %"));
}

TEST(MedianCiRule, StopsAtOnceWhereEverythingIsTheSame) {
    const auto rule = median_ci_rule(0.02);
    rule->add(std::vector<double>(10, 42.0));
    EXPECT_TRUE(rule->reached());
}

TEST(MedianCiRule, StopsWhereEverythingTakesNoTime) {
    auto rule = median_ci_rule(0.02);
    rule->add(std::vector<double>(10, 0.0));
    EXPECT_TRUE(rule->reached());
}

TEST(MedianCiRule, StillDecidesWhenItHoldsOnlyAPartOfTheTimes) {
    std::mt19937_64 random(3);
    // 65,536 values with a deviation of 30 % give an interval of some 0.6 %, half as many 0.8 %.
    const auto rule = median_ci_rule(0.01);
    const auto never = median_ci_rule(0.001);
    for (int i = 0; i < 10; ++i) {
        const auto times = normal(random, 20'000, 1000, 300);
        rule->add(times);
        never->add(times);
    }
    EXPECT_TRUE(rule->reached());
    EXPECT_FALSE(never->reached());
    // The times change, and so does the interval, because old and new ones have equal weight.
    for (int i = 0; i < 10; ++i) {
        rule->add(normal(random, 20'000, 2000, 1));
    }
    EXPECT_FALSE(rule->reached());
}

TEST(SkampiRule, LooksAtTheMiddleHalf) {
    const auto rule = skampi_rule(0.01, 1);
    // Outliers in the outer quarters do not count.
    rule->add(std::vector<double>{1, 1, 100, 100, 100, 100, 1e9, 1e9});
    EXPECT_TRUE(rule->reached());
}

TEST(SkampiRule, WantsTheTimesToExceedTheClocksTick) {
    const auto rule = skampi_rule(0.01, 1000);
    rule->add(std::vector<double>(100, 100.0));
    EXPECT_FALSE(rule->reached()) << "10 us in all, but a tick of 1 us asks for 100 us";
    rule->add(std::vector<double>(900, 100.0));
    EXPECT_TRUE(rule->reached());
}

TEST(SkampiRule, CountsAllTimesWhenItHoldsOnlyAPart) {
    std::mt19937_64 random(4);
    // The middle half of normal times deviates by 0.378 of their deviation: 11.3 % of the mean here.
    const auto rule = skampi_rule(0.0003, 0);
    std::size_t count = 0;
    while (!rule->reached()) {
        ASSERT_LT(count, 1'000'000U);
        rule->add(normal(random, 20'000, 1000, 300));
        count += 20'000;
    }
    const double expected = 2 * (0.1134 / 0.0003) * (0.1134 / 0.0003);
    EXPECT_NEAR(static_cast<double>(count), expected, 0.1 * expected);
}

TEST(SkampiRule, ComparesTheStandardErrorOfTheMean) {
    const auto rule = skampi_rule(0.01, 0);
    // Middle half 90, 90, 110, 110: mean 100, deviation sqrt(400 / 3), error half of that.
    rule->add(std::vector<double>{0, 0, 90, 90, 110, 110, 200, 200});
    EXPECT_FALSE(rule->reached());
    EXPECT_THAT(rule->state(), HasSubstr("5.77 %, target 1.00 %"));
}

}  // namespace
}  // namespace fathom::stats
