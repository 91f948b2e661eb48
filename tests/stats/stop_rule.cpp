#include "stats/stop_rule.hpp"

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
    rule->add(std::vector<double>{1, 2, 3});
    EXPECT_THAT(rule->state(), HasSubstr("3 repetitions are too few"));
    rule->add(std::vector<double>{4, 5, 6, 7, 8});
    EXPECT_FALSE(rule->reached());
    EXPECT_THAT(rule->state(), HasSubstr("asked 2.0 %"));
}

TEST(MedianCiRule, StopsAtOnceWhereEverythingIsTheSame) {
    const auto rule = median_ci_rule(0.02);
    rule->add(std::vector<double>(10, 42.0));
    EXPECT_TRUE(rule->reached());
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

TEST(SkampiRule, ComparesTheStandardErrorOfTheMean) {
    const auto rule = skampi_rule(0.01, 0);
    // Middle half 90, 90, 110, 110: mean 100, deviation sqrt(400 / 3), error half of that.
    rule->add(std::vector<double>{0, 0, 90, 90, 110, 110, 200, 200});
    EXPECT_FALSE(rule->reached());
    EXPECT_THAT(rule->state(), HasSubstr("5.77 %, asked 1.00 %"));
}

}  // namespace
}  // namespace fathom::stats
