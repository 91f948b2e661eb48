#include "stats/comparison/mann_whitney.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "stats/comparison/multiple_tests.hpp"
#include "stats/random.hpp"

namespace fathom::stats {
namespace {

TEST(ExactRankTest, HasThePValuesOfTheTables) {
    // Three against three: 20 orders, the outermost on either side is 1 of 20.
    const std::vector<double> low{1, 2, 3};
    const std::vector<double> high{4, 5, 6};
    EXPECT_DOUBLE_EQ(exact_mann_whitney(low, high).p_value, 0.1);
    EXPECT_DOUBLE_EQ(exact_mann_whitney(high, low).p_value, 0.1);
    EXPECT_DOUBLE_EQ(exact_mann_whitney(low, high).superiority, 1);
    // Five against five, U = 2: the table's one-sided 4 / 252.
    const std::vector<double> a{1, 2, 3, 4, 7};
    const std::vector<double> b{5, 6, 8, 9, 10};
    EXPECT_NEAR(exact_mann_whitney(a, b).p_value, 2 * 4 / 252.0, 1e-12);
}

TEST(ExactRankTest, SaysNothingOfEqualSamples) {
    const std::vector<double> a{1, 2, 3, 4};
    EXPECT_DOUBLE_EQ(exact_mann_whitney(a, a).p_value, 1);
    EXPECT_DOUBLE_EQ(exact_mann_whitney(a, a).superiority, 0.5);
}

TEST(SmallestRankP, IsTwoOverTheNumberOfOrders) {
    EXPECT_DOUBLE_EQ(smallest_mann_whitney_p(3, 3), 0.1);
    EXPECT_DOUBLE_EQ(smallest_mann_whitney_p(8, 8), 2 / 12'870.0);
    EXPECT_DOUBLE_EQ(smallest_mann_whitney_p(1, 1), 1);
}

TEST(RankTest, AgreesWithTheExactOneForSamplesOfSomeSize) {
    Random random(7);
    std::vector<double> a;
    std::vector<double> b;
    for (int i = 0; i < 20; ++i) {
        a.push_back(random.normal());
        b.push_back(random.normal() + 0.2);
    }
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    const double exact = exact_mann_whitney(a, b).p_value;
    EXPECT_NEAR(mann_whitney(a, b, 20, 20).p_value / exact, 1, 0.05);
    EXPECT_LT(exact, 0.9);
}

TEST(RankTest, IsLessSureOfSamplesThatAreWorthLess) {
    std::vector<double> a;
    std::vector<double> b;
    for (int i = 0; i < 400; ++i) {
        a.push_back(i);
        b.push_back(i + 40);
    }
    EXPECT_LT(mann_whitney(a, b, 400, 400).p_value, 1e-4);
    EXPECT_GT(mann_whitney(a, b, 40, 40).p_value, 0.05);
}

TEST(RankTest, TakesTiesIntoAccount) {
    const std::vector<double> a(50, 5.0);
    EXPECT_DOUBLE_EQ(mann_whitney(a, a, 50, 50).p_value, 1);
    std::vector<double> mostly(50, 5.0);
    mostly.back() = 6;
    EXPECT_GT(mann_whitney(a, mostly, 50, 50).p_value, 0.3);
    EXPECT_NEAR(mann_whitney(a, mostly, 50, 50).superiority, 0.51, 1e-12);
    const std::vector<double> above(50, 6.0);
    EXPECT_LT(mann_whitney(a, above, 50, 50).p_value, 1e-9);
}

TEST(RankTest, IsWrongAsOftenAsItSays) {
    Random random(11);
    int wrong = 0;
    constexpr int trials = 2'000;
    for (int trial = 0; trial < trials; ++trial) {
        std::vector<double> a;
        std::vector<double> b;
        for (int i = 0; i < 30; ++i) {
            a.push_back(random.normal());
            b.push_back(random.normal());
        }
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
        wrong += mann_whitney(a, b, 30, 30).p_value < 0.05;
    }
    EXPECT_NEAR(wrong / (1.0 * trials), 0.05, 0.015);
}

TEST(Holm, MultipliesTheSmallestByAllAndNeverFalls) {
    const std::vector<double> p{0.01, 0.04, 0.03, 0.005};
    const auto corrected = holm(p);
    ASSERT_EQ(corrected.size(), 4U);
    EXPECT_DOUBLE_EQ(corrected[3], 0.02);
    EXPECT_DOUBLE_EQ(corrected[0], 0.03);
    EXPECT_DOUBLE_EQ(corrected[2], 0.06);
    EXPECT_DOUBLE_EQ(corrected[1], 0.06);
    EXPECT_DOUBLE_EQ(holm(std::vector<double>{0.7, 0.9})[1], 1);
    EXPECT_TRUE(holm({}).empty());
}

}  // namespace
}  // namespace fathom::stats
