#include "stats/stopping/stationary.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace fathom::stats {
namespace {

TEST(Stationary, IsNoShortSeries) {
    EXPECT_FALSE(stationary(std::vector<double>(15, 1.0)));
    EXPECT_TRUE(stationary(std::vector<double>(16, 1.0)));
}

TEST(Stationary, IsNoSeriesThatSettles) {
    std::vector<double> series;
    for (int i = 0; i < 20; ++i) {
        series.push_back(1000.0 / (i + 1));
    }
    EXPECT_FALSE(stationary(series));
}

TEST(Stationary, IsNoiseMostOfTheTime) {
    std::mt19937_64 random(5);
    int refused = 0;
    for (int trial = 0; trial < 1000; ++trial) {
        std::vector<double> series(20);
        for (auto& value : series) {
            value = static_cast<double>(random() % 100);
        }
        refused += stationary(series) ? 0 : 1;
    }
    EXPECT_LT(refused, 25) << "one in a hundred is expected";
}

TEST(Stationary, LooksAtRanksSoThatOneOutlierMeansNothing) {
    std::vector<double> series;
    for (int i = 0; i < 20; ++i) {
        series.push_back(i % 2 == 0 ? 100 : 101);
    }
    series[3] = 1e9;
    EXPECT_TRUE(stationary(series));
}

}  // namespace
}  // namespace fathom::stats
