#include "stats/effective_sample_size.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <boost/math/constants/constants.hpp>
#include <gtest/gtest.h>

#include "stats/series.hpp"

namespace fathom::stats {
namespace {

TEST(EffectiveSampleSize, OfIndependentValuesIsAboutTheirNumber) {
    std::mt19937_64 random(3);
    std::vector<double> values(1000);
    for (auto& value : values) {
        value = static_cast<double>(random() % 1000);
    }
    EXPECT_GT(effective_sample_size(values, 500), 750) << "chance alone takes a little";
}

TEST(EffectiveSampleSize, FollowsTheArcsineLawOfNormalSeries) {
    // The sides of two normal values of correlation r agree on average by 2 / pi asin r.
    for (const double correlation : {0.3, 0.6, 0.9}) {
        double factor = 1;
        for (int lag = 1; lag < 400; ++lag) {
            factor += 4 / boost::math::constants::pi<double>() * std::asin(std::pow(correlation, lag));
        }
        std::mt19937_64 random(23);
        double size = 0;
        constexpr int series = 50;
        constexpr std::size_t n = 20'000;
        for (int i = 0; i < series; ++i) {
            size += effective_sample_size(correlated(random, n, correlation), 0) / series;
        }
        EXPECT_NEAR(size / (n / factor), 1, 0.06) << correlation;
    }
}

TEST(EffectiveSampleSize, SeesWhatIsAlikeOverThousandsOfValues) {
    // Levels of 2000 values each, as a clock speed that changes now and then: about as many as levels.
    std::mt19937_64 random(29);
    std::normal_distribution<double> noise;
    std::vector<double> values;
    for (int level = 0; level < 30; ++level) {
        values.insert(values.end(), 2000, noise(random));
    }
    const double size = effective_sample_size(values, 0);
    EXPECT_GT(size, 8);
    EXPECT_LT(size, 45);
}

TEST(EffectiveSampleSize, OfAlternatingValuesIsNoMoreThanTheirNumber) {
    std::vector<double> values(100);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<double>(i % 2);
    }
    EXPECT_EQ(effective_sample_size(values, 0.5), 100);
    EXPECT_EQ(effective_sample_size(std::vector<double>(100, 7.0), 7), 100) << "equal values";
}

TEST(EffectiveSampleSize, NoticesSlowLevelsBehindIndependentNoise) {
    // Neighbours correlate by 0.06 only, but half of 20,000 values lie on either level.
    std::mt19937_64 random(37);
    std::normal_distribution<double> noise;
    std::vector<double> values;
    for (int i = 0; i < 20'000; ++i) {
        values.push_back(noise(random) + (i / 1'000 % 2 == 0 ? 0.25 : -0.25));
    }
    EXPECT_LT(effective_sample_size(values, 0), 1'000);
}

TEST(EffectiveSampleSize, IsLargerForOuterQuantilesOfNormalSeries) {
    // Far out, values above a threshold come one at a time.
    std::mt19937_64 random(31);
    const auto series = correlated(random, 20'000, 0.9);
    EXPECT_GT(effective_sample_size(series, 1.2815516), 1.1 * effective_sample_size(series, 0));
}

}  // namespace
}  // namespace fathom::stats
