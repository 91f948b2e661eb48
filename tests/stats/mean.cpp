#include "stats/mean.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::stats {
namespace {

using ::testing::ElementsAre;

TEST(Mean, IsTheSumByTheNumber) {
    EXPECT_DOUBLE_EQ(mean(std::vector<double>{1, 2, 6}), 3);
    EXPECT_DOUBLE_EQ(mean(std::vector<double>{7}), 7);
}

TEST(Mean, KeepsSmallValuesBesideLargeOnes) {
    std::vector<double> values(1001, 1.0);
    values.front() = 1e16;
    EXPECT_DOUBLE_EQ(mean(values), (1e16 + 1000) / 1001);
}

TEST(Variance, IsThatOfASample) {
    EXPECT_DOUBLE_EQ(variance(std::vector<double>{1, 2, 6}), 7);
    EXPECT_DOUBLE_EQ(variance(std::vector<double>{7}), 0);
}

TEST(MiddleHalf, LeavesOutAQuarterOnEitherSide) {
    EXPECT_THAT(middle_half(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}), ElementsAre(3, 4, 5, 6));
    EXPECT_THAT(middle_half(std::vector<double>{1, 2, 3, 4, 5}), ElementsAre(2, 3, 4));
    EXPECT_THAT(middle_half(std::vector<double>{1, 2, 3}), ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace fathom::stats
