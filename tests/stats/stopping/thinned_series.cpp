#include "stats/stopping/thinned_series.hpp"

#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::stats {
namespace {

using ::testing::ElementsAre;

std::vector<double> counting(std::size_t count) {
    std::vector<double> values(count);
    std::iota(values.begin(), values.end(), 0);
    return values;
}

TEST(ThinnedSeries, HoldsAllWhileTheyFit) {
    ThinnedSeries series(4);
    series.add(counting(4));
    EXPECT_THAT(series.values(), ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(series.step(), 1U);
}

TEST(ThinnedSeries, ThenEverySecondThenEveryFourth) {
    ThinnedSeries series(4);
    series.add(counting(5));
    EXPECT_THAT(series.values(), ElementsAre(0, 2, 4));
    series.add(std::vector<double>{5, 6, 7});
    EXPECT_THAT(series.values(), ElementsAre(0, 2, 4, 6));
    series.add(std::vector<double>{8});
    EXPECT_THAT(series.values(), ElementsAre(0, 4, 8));
    EXPECT_EQ(series.step(), 4U);
    EXPECT_EQ(series.count(), 9U);
}

TEST(ThinnedSeries, DoesNotDependOnHowTheValuesCome) {
    const auto values = counting(1000);
    ThinnedSeries at_once(64);
    at_once.add(values);
    ThinnedSeries one_by_one(64);
    for (const double value : values) {
        one_by_one.add(std::vector<double>{value});
    }
    EXPECT_THAT(one_by_one.values(), ::testing::ElementsAreArray(at_once.values()));
}

TEST(ThinnedSeries, HoldsBetweenHalfAndAllOfWhatItMay) {
    ThinnedSeries series;
    const auto batch = counting(10'000);
    for (int i = 0; i < 100; ++i) {
        series.add(batch);
        ASSERT_LE(series.values().size(), ThinnedSeries::usual_most);
        if (series.step() > 1) {
            ASSERT_GE(series.values().size(), ThinnedSeries::usual_most / 2);
        }
    }
    EXPECT_EQ(series.count(), 1'000'000U);
    EXPECT_EQ(series.step(), 16U);
    EXPECT_EQ(series.values()[1], 16);
}

}  // namespace
}  // namespace fathom::stats
