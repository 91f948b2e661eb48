#include "stats/distributions/histogram.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::stats {
namespace {

using ::testing::ElementsAre;

TEST(Histogram, CountsFromTheSmallestValueToTheGivenEnd) {
    const auto found = histogram(std::vector<double>{14, 10, 10.5, 12, 17.9, 19}, 5, 20);
    EXPECT_EQ(found.low, 10);
    EXPECT_EQ(found.width, 2);
    EXPECT_THAT(found.counts, ElementsAre(2, 1, 1, 1, 1));
    EXPECT_EQ(found.above, 0);
}

TEST(Histogram, PutsAValueOnTheEdgeIntoTheUpperBin) {
    EXPECT_THAT(histogram(std::vector<double>{0, 1, 2, 3}, 4, 4).counts, ElementsAre(1, 1, 1, 1));
}

TEST(Histogram, IncludesTheEndInTheLastBin) {
    const auto found = histogram(std::vector<double>{0, 4}, 4, 4);
    EXPECT_THAT(found.counts, ElementsAre(1, 0, 0, 1));
    EXPECT_EQ(found.above, 0);
}

TEST(Histogram, CountsWhatLiesBeyondTheEnd) {
    const auto found =
        histogram(std::vector<double>{0, 1, 4.001, 100, std::numeric_limits<double>::infinity()}, 2, 4);
    EXPECT_THAT(found.counts, ElementsAre(2, 0));
    EXPECT_EQ(found.above, 3);
}

TEST(Histogram, PutsEqualValuesIntoTheFirstBin) {
    const auto found = histogram(std::vector<double>{7, 7, 7}, 3, 7);
    EXPECT_EQ(found.low, 7);
    EXPECT_EQ(found.width, 1);
    EXPECT_THAT(found.counts, ElementsAre(3, 0, 0));
    EXPECT_EQ(found.above, 0);
}

TEST(Histogram, TakesNegativeValues) {
    EXPECT_THAT(histogram(std::vector<double>{-10, -1, 0, 9}, 2, 10).counts, ElementsAre(2, 2));
}

TEST(Histogram, OfNothingHasEmptyBins) {
    const auto found = histogram({}, 3, 10);
    EXPECT_THAT(found.counts, ElementsAre(0, 0, 0));
    EXPECT_EQ(found.above, 0);
}

TEST(Histogram, LosesNothing) {
    std::mt19937_64 random(1);
    std::lognormal_distribution<double> any(5, 1);
    for (int trial = 0; trial < 50; ++trial) {
        std::vector<double> values;
        for (int i = 0; i < 500; ++i) {
            values.push_back(any(random));
        }
        const auto found = histogram(values, 1 + trial, 400);
        EXPECT_EQ(std::accumulate(found.counts.begin(), found.counts.end(), found.above), 500);
        EXPECT_EQ(found.above, std::count_if(values.begin(), values.end(), [](double v) { return v > 400; }));
    }
}

TEST(Histogram, CountsItsUpperEndWhateverTheRounding) {
    for (const int bins : {49, 50, 100, 200}) {
        for (int high = 1; high < 500; ++high) {
            const auto found = histogram(std::vector<double>{0, static_cast<double>(high)}, bins, high);
            ASSERT_EQ(found.above, 0) << bins << " bins up to " << high;
            ASSERT_EQ(found.counts.back(), 1) << bins << " bins up to " << high;
        }
    }
}

}  // namespace
}  // namespace fathom::stats
