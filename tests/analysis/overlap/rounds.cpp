#include "analysis/overlap/rounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::analysis {
namespace {

using ::testing::ElementsAre;

Rounds rounds_of(std::vector<std::optional<double>> values) {
    return Rounds(std::move(values));
}

TEST(Rounds, ArithmeticIsRoundByRoundAndLeavesOutWhatIsMissing) {
    const auto a = rounds_of({10, std::nullopt, 30});
    const auto b = rounds_of({2, 2, 5});
    EXPECT_THAT((a - b).known(), ElementsAre(8, 25));
    EXPECT_THAT((a + b).known(), ElementsAre(12, 35));
    EXPECT_THAT((a / b).known(), ElementsAre(5, 6));
    EXPECT_THAT((1 - b).known(), ElementsAre(-1, -1, -4));
    EXPECT_THAT((b - 1).known(), ElementsAre(1, 1, 4));
    EXPECT_THAT(smaller(a, b).known(), ElementsAre(2, 5));
}

TEST(Rounds, NothingIsDividedByNothing) {
    EXPECT_THAT((rounds_of({1, 1, 1}) / rounds_of({0, -1, 2})).known(), ElementsAre(0.5));
}

TEST(Rounds, TheMedianHasAnIntervalByOrderStatisticsFromSixRoundsOn) {
    EXPECT_FALSE(rounds_of({std::nullopt}).median());
    EXPECT_FALSE(rounds_of({1, 2, 3, 4, 5}).median()->ci95);
    const auto six = rounds_of({6, 1, 5, 2, 4, 3}).median();
    EXPECT_DOUBLE_EQ(six->value, 3.5);
    // Places k where the incomplete beta function of k and n + 1 - k is 97.5 % at one half.
    EXPECT_NEAR(six->ci95->low, 1.194124, 1e-5);
    EXPECT_NEAR(six->ci95->high, 5.805876, 1e-5);
    // 12 values: the 3rd to the 10th enclose the median with 96.1 %, which is a little more than asked.
    const auto twelve = rounds_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}).median();
    EXPECT_NEAR(twelve->ci95->low, 3.172779, 1e-5);
    EXPECT_NEAR(twelve->ci95->high, 9.827221, 1e-5);
}

TEST(Rounds, ARatioOfSumsHasStudentsIntervalOfItsResiduals) {
    const auto exact = ratio_of_sums(rounds_of({1, 2, 3}), rounds_of({10, 20, 30}));
    EXPECT_DOUBLE_EQ(exact->value, 0.1);
    EXPECT_NEAR(exact->ci95->high - exact->ci95->low, 0, 1e-12);
    // Residuals -1 and 1 around 2/10: variance 2, of the mean 1; t(0.975, 1 degree) = 12.7062.
    const auto spread = ratio_of_sums(rounds_of({1, 3}), rounds_of({10, 10}));
    EXPECT_DOUBLE_EQ(spread->value, 0.2);
    EXPECT_NEAR(spread->ci95->high, 0.2 + 12.7062 / 10, 1e-4);
    EXPECT_FALSE(ratio_of_sums(rounds_of({1}), rounds_of({0})));
}

TEST(Rounds, SayWhetherAnIntervalTellsAnything) {
    const auto figure = [](double low, double high) {
        return stats::Reduced{.value = (low + high) / 2, .ci95 = stats::Interval{.low = low, .high = high}};
    };
    EXPECT_TRUE(includes_none(figure(-1, 1)));
    EXPECT_FALSE(includes_none(figure(0.1, 1)));
    EXPECT_FALSE(includes_none({.value = 0, .ci95 = {}})) << "no interval, no claim";
    EXPECT_TRUE(disjoint(figure(0, 1), figure(1.1, 2)));
    EXPECT_TRUE(disjoint(figure(1.1, 2), figure(0, 1)));
    EXPECT_FALSE(disjoint(figure(0, 1), figure(1, 2)));
}

}  // namespace
}  // namespace fathom::analysis
