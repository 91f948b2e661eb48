#include "stats/distributions/log_grid.hpp"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::stats {
namespace {

using ::testing::ElementsAre;

TEST(LogGrid, HoldsAllValuesFromTheSmallestToTheLargest) {
    const auto grid = log_grid(200, 5000, 1, 100);
    EXPECT_LE(grid.low, 200);
    EXPECT_GE(grid.edge(grid.bins), 5000);
    EXPECT_EQ(grid.bins, 100);
    EXPECT_NEAR(std::pow(grid.ratio, 100), (5000 + 0.5) / (200 - 0.5), 1e-9);
}

TEST(LogGrid, HasNoBinNarrowerThanTheStepOfValues) {
    const auto grid = log_grid(100, 110, 1, 1000);
    EXPECT_GE(grid.edge(1) - grid.edge(0), 1 - 1e-9);
    EXPECT_LE(grid.bins, 11);
}

TEST(LogGrid, CountsValuesWhereTheyAre) {
    const LogGrid grid{.low = 1, .ratio = 10, .bins = 3};
    const std::vector<double> values{1, 9.99, 10.01, 50, 999, 100.01};
    EXPECT_THAT(counts_on(grid, values), ElementsAre(2, 2, 2));
}

TEST(LogGrid, CountsValuesOutsideInTheFirstAndTheLastBin) {
    const LogGrid grid{.low = 1, .ratio = 2, .bins = 2};
    const std::vector<double> values{0, -5, 1e12};
    EXPECT_THAT(counts_on(grid, values), ElementsAre(2, 1));
}

TEST(LogGrid, OfOneValueHasOneBin) {
    const auto grid = log_grid(700, 700, 1, 100);
    EXPECT_EQ(grid.bins, 1);
    const std::vector<double> values{700, 700};
    EXPECT_THAT(counts_on(grid, values), ElementsAre(2));
}

TEST(LogGrid, OfTimesOfZeroIsStillAGrid) {
    const auto grid = log_grid(0, 0, 1, 100);
    EXPECT_GT(grid.low, 0);
    EXPECT_GT(grid.ratio, 1);
    const std::vector<double> values{0, 0, 0};
    const auto counts = counts_on(grid, values);
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}), 3);
}

}  // namespace
}  // namespace fathom::stats
