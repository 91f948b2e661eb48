#include "analysis/point/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::analysis {
namespace {

/// Times above a least one, log-normal.
std::vector<double> times_of(std::mt19937_64& random, std::size_t n, double shift, double median,
                             double sigma) {
    std::lognormal_distribution<double> distribution(std::log(median), sigma);
    std::vector<double> times(n);
    for (auto& time : times) {
        time = std::round(shift + distribution(random));
    }
    return times;
}

std::int64_t counted(const stats::Histogram& histogram) {
    return std::accumulate(histogram.counts.begin(), histogram.counts.end(), std::int64_t{0}) +
           histogram.above;
}

double parameter(const Fit& fit, const std::string& name) {
    const auto found = std::find_if(fit.parameters.begin(), fit.parameters.end(),
                                    [&](const auto& own) { return own.name == name; });
    return found == fit.parameters.end() ? NAN : found->value;
}

TEST(Distribution, CountsEveryTimeInBothHistograms) {
    std::mt19937_64 random(1);
    for (const std::size_t n : {1U, 5U, 100U, 20'000U}) {
        const auto found = distribution_of(times_of(random, n, 0, 2000, 0.4));
        EXPECT_EQ(found.count, n);
        EXPECT_EQ(counted(found.linear), static_cast<std::int64_t>(n));
        EXPECT_EQ(counted(found.logarithmic), static_cast<std::int64_t>(n));
        EXPECT_LE(found.linear.counts.size(), 202U);
        EXPECT_EQ(found.steps.back().share, 1);
        EXPECT_LE(found.steps.size(), 230U);
        EXPECT_TRUE(std::is_sorted(found.steps.begin(), found.steps.end(),
                                   [](const auto& a, const auto& b) { return a.share < b.share; }));
    }
}

TEST(Distribution, IsNotRuinedByOneTimeFarAway) {
    std::mt19937_64 random(2);
    auto times = times_of(random, 10'000, 0, 2000, 0.1);
    const auto without = distribution_of(times);
    times[5000] = 30e6;
    const auto found = distribution_of(times);
    EXPECT_EQ(found.modes.size(), 1U);
    EXPECT_NEAR(found.modes[0].at_ns, 2000, 40);
    EXPECT_LT(found.body_share, 1);
    EXPECT_GT(found.body_share, 0.999);
    EXPECT_EQ(found.linear.above, 1);
    EXPECT_GT(found.linear.counts.size(), 20U);
    ASSERT_FALSE(found.fits.empty());
    EXPECT_EQ(found.fits[0].family, "log-normal");
    EXPECT_EQ(found.fits[0].good, true);
    EXPECT_NEAR(parameter(found.fits[0], "median_ns"), parameter(without.fits[0], "median_ns"), 1);
}

TEST(Distribution, IsNotRuinedBySomeTimesFarAway) {
    std::mt19937_64 random(4);
    auto times = times_of(random, 10'000, 0, 2000, 0.1);
    for (std::size_t i = 0; i < times.size(); i += 50) {
        times[i] = 4e6;
    }
    const auto found = distribution_of(times);
    EXPECT_EQ(found.linear.above, 200) << "2 %";
    EXPECT_GT(found.linear.counts.size(), 20U);
    EXPECT_LT(found.linear.width, 100);
}

TEST(Distribution, CountsInItsBinsWhatLiesWithinTheirEdges) {
    std::mt19937_64 random(6);
    auto times = times_of(random, 1'000, 0, 2000, 0.1);
    for (std::size_t i = 0; i < 30; ++i) {
        times[i * 20] = 6000 + static_cast<double>(i % 3);
    }
    const auto found = distribution_of(times);
    const double end =
        found.linear.low + found.linear.width * static_cast<double>(found.linear.counts.size());
    EXPECT_EQ(found.linear.above,
              std::count_if(times.begin(), times.end(), [&](double time) { return time >= end; }));
}

TEST(Distribution, HasItsModeWhereTheDensityIsHighest) {
    std::mt19937_64 random(5);
    std::gamma_distribution<double> gamma(4, 2500);
    std::vector<double> times(20'000);
    for (auto& time : times) {
        time = gamma(random);
    }
    const auto found = distribution_of(times);
    ASSERT_EQ(found.modes.size(), 1U);
    EXPECT_NEAR(found.modes[0].at_ns, 7500, 700)
        << "of the density by ns, not of that of logarithms (10 000)";
}

TEST(Distribution, HasItsModesAmongItsTimes) {
    std::vector<double> times;
    for (int i = 0; i < 600; ++i) {
        times.push_back(i % 3 == 0 ? 0 : i % 3 == 1 ? 10'000 : 40'000);
    }
    const auto found = distribution_of(times);
    for (const auto& mode : found.modes) {
        EXPECT_GE(mode.at_ns, 0);
        EXPECT_LE(mode.at_ns, 40'000);
        EXPECT_GE(mode.at_ns, mode.from_ns);
        EXPECT_LE(mode.at_ns, mode.to_ns);
    }
}

TEST(Distribution, FindsTheFamilyAndItsParameters) {
    std::mt19937_64 random(3);
    const auto found = distribution_of(times_of(random, 20'000, 5000, 400, 0.6));
    ASSERT_GE(found.fits.size(), 3U);
    EXPECT_EQ(found.fits[0].family, "shifted log-normal");
    EXPECT_EQ(found.fits[0].good, true);
    EXPECT_NEAR(parameter(found.fits[0], "shift_ns"), 5000, 10);
    EXPECT_NEAR(parameter(found.fits[0], "median_above_shift_ns"), 400, 12);
    EXPECT_NEAR(parameter(found.fits[0], "sigma"), 0.6, 0.02);
    EXPECT_LT(found.fits[0].distance, 0.01);
    EXPECT_EQ(found.fits.back().good, false);
    EXPECT_EQ(found.body_share, 1) << "a long tail is no outlier";
}

TEST(Distribution, TellsTwoModesWithTheirShares) {
    std::mt19937_64 random(4);
    auto times = times_of(random, 9000, 0, 2.1e6, 0.05);
    const auto late = times_of(random, 1000, 0, 2.1e8, 0.02);
    times.insert(times.end(), late.begin(), late.end());
    std::shuffle(times.begin(), times.end(), random);
    const auto found = distribution_of(times);
    ASSERT_EQ(found.modes.size(), 2U);
    EXPECT_NEAR(found.modes[0].share, 0.9, 1e-9);
    EXPECT_NEAR(found.modes[1].at_ns, 2.1e8, 3e6);
    EXPECT_EQ(found.modes[0].to_ns, found.modes[1].from_ns);
    EXPECT_NEAR(found.body_share, 0.9, 1e-3);
}

TEST(Distribution, SaysWhereNoFamilyFits) {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> even(1000, 2000);
    std::vector<double> times(5000);
    for (auto& time : times) {
        time = even(random);
    }
    const auto found = distribution_of(times);
    ASSERT_FALSE(found.fits.empty());
    EXPECT_EQ(found.fits[0].good, false);
}

TEST(Distribution, OfFewIndependentTimesSaysNothingOfAFit) {
    std::mt19937_64 random(6);
    const auto times = times_of(random, 400, 0, 10'000, 0.2);
    const auto found = distribution_of(times, 4.0);
    EXPECT_FALSE(found.fits.front().good);
}

TEST(Distribution, TellsHeapsApartInSpiteOfOutliers) {
    std::vector<double> times(600, 1'000);
    times.insert(times.end(), 390, 1'400);
    times.insert(times.end(), 10, 2e8);
    std::shuffle(times.begin(), times.end(), std::mt19937_64(7));
    const auto found = distribution_of(times);
    ASSERT_GE(found.modes.size(), 2U);
    EXPECT_NEAR(found.modes[0].at_ns, 1'000, 50);
    EXPECT_NEAR(found.modes[1].at_ns, 1'400, 50);
    EXPECT_GT(found.linear.above, 0) << "outliers do not stretch the bins";
}

TEST(Distribution, HasOneModeHoweverCoarseTheClockIs) {
    std::mt19937_64 random(6);
    for (const double step : {1.0, 1000.0 / 24 / 2, 50.0}) {
        auto times = times_of(random, 5000, 0, 1000, 0.05);
        for (auto& time : times) {
            time = std::floor(std::round(time / step) * step);
        }
        const auto found = distribution_of(times);
        EXPECT_EQ(found.modes.size(), 1U) << step;
        EXPECT_NEAR(found.tick_ns, step, 1) << step;
        const auto empty = std::count(found.linear.counts.begin(), found.linear.counts.end(), 0);
        EXPECT_LT(empty, static_cast<std::ptrdiff_t>(found.linear.counts.size()) / 2) << "a comb";
    }
}

TEST(Distribution, HasADensityThatIsOneInAll) {
    std::mt19937_64 random(7);
    const auto found = distribution_of(times_of(random, 5000, 1000, 300, 0.4));
    double sum = 0;
    for (std::size_t i = 1; i < found.density.size(); ++i) {
        sum += (found.density[i].at_ns - found.density[i - 1].at_ns) *
               (found.density[i].density + found.density[i - 1].density) / 2;
    }
    EXPECT_NEAR(sum, 1, 0.01);
}

TEST(Distribution, OfFewTimesHasNoModesAndOfEqualOnesHasOne) {
    const auto equal = distribution_of(std::vector<double>(100, 5000.0));
    EXPECT_EQ(equal.steps.size(), 1U);
    EXPECT_EQ(equal.modes.size(), 1U);
    const auto few = distribution_of(std::vector<double>{1, 2, 3});
    EXPECT_TRUE(few.fits.empty());
    EXPECT_TRUE(few.modes.empty());
    EXPECT_EQ(distribution_of({}).count, 0U);
}

TEST(Distribution, TakesTimesOfZero) {
    std::vector<double> times(100, 0.0);
    for (std::size_t i = 0; i < 50; ++i) {
        times[i] = 10 * static_cast<double>(i);
    }
    const auto found = distribution_of(times);
    EXPECT_EQ(counted(found.linear), 100);
    EXPECT_EQ(counted(found.logarithmic), 49);
}

}  // namespace
}  // namespace fathom::analysis
