#include "stats/periodicity.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "stats/random.hpp"

namespace fathom::stats {
namespace {

TEST(Periodicity, FindsThePeriodOfPulses) {
    std::vector<double> moments;
    for (int i = 0; i < 40; ++i) {
        moments.push_back(250 + 1'000.0 * i);
    }
    const auto period = period_of(moments, 40'000, 10);
    ASSERT_TRUE(period);
    EXPECT_NEAR(period->length, 1'000, 10) << "and not half or a third of it";
    EXPECT_GT(period->strength, 0.9);
    EXPECT_GT(period->hit_share, 0.9);
    EXPECT_LT(period->p_value, 1e-6);
}

TEST(Periodicity, FindsItAmidJitterMissingPulsesAndOthers) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Random random(seed);
        std::vector<double> moments;
        for (int i = 0; i < 100; ++i) {
            if (random.uniform() < 0.8) {
                moments.push_back(1'000.0 * i + 500 + 50 * random.normal());
            }
            if (random.uniform() < 0.2) {
                moments.push_back(1'000.0 * i + 999 * random.uniform());
            }
        }
        std::sort(moments.begin(), moments.end());
        const auto period = period_of(moments, 100'000, 10);
        ASSERT_TRUE(period) << seed;
        EXPECT_NEAR(period->length, 1'000, 10) << seed;
    }
}

TEST(Periodicity, IsNotSeenInRandomMoments) {
    int found = 0;
    for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
        Random random(seed);
        std::vector<double> moments;
        for (int i = 0; i < 60; ++i) {
            moments.push_back(100'000 * random.uniform());
        }
        std::sort(moments.begin(), moments.end());
        found += period_of(moments, 100'000, 10) ? 1 : 0;
    }
    EXPECT_LE(found, 5) << "0.1 % of series, at most";
}

TEST(Periodicity, IsNotSeenInABurst) {
    Random random(1);
    std::vector<double> moments;
    for (int i = 0; i < 100; ++i) {
        moments.push_back(50'000 + 20.0 * i + random.uniform());
    }
    EXPECT_FALSE(period_of(moments, 100'000, 10));
}

TEST(Periodicity, NeedsEnoughMoments) {
    EXPECT_FALSE(period_of(std::vector<double>{1, 2, 3}, 10, 0.1));
    EXPECT_FALSE(period_of(std::vector<double>{}, 10, 0.1));
}

}  // namespace
}  // namespace fathom::stats
