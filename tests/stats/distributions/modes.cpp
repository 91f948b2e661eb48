#include "stats/distributions/modes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "stats/effective_sample_size.hpp"
#include "stats/quantile.hpp"
#include "stats/series.hpp"

namespace fathom::stats {
namespace {

using Draw = std::function<double(std::mt19937_64&)>;

std::vector<Peak> peaks_in(const std::vector<double>& in_order) {
    auto sorted = in_order;
    std::sort(sorted.begin(), sorted.end());
    const double independent = effective_sample_size(in_order, quantile(sorted, 0.5));
    return peaks_of(kernel_density(sorted, independent, tick_of(sorted)), sorted, independent);
}

std::vector<double> drawn(std::mt19937_64& random, std::size_t n, const Draw& draw) {
    std::vector<double> values(n);
    for (auto& value : values) {
        value = draw(random);
    }
    return values;
}

/// In how many of a hundred samples so many peaks are found.
int percent_with(std::size_t peaks, std::size_t n, const Draw& draw) {
    std::mt19937_64 random(41 + n);
    const int trials = n > 5000 ? 40 : 200;
    int found = 0;
    for (int trial = 0; trial < trials; ++trial) {
        found += peaks_in(drawn(random, n, draw)).size() == peaks ? 1 : 0;
    }
    return 100 * found / trials;
}

double normal(std::mt19937_64& random) {
    return std::normal_distribution<double>()(random);
}

struct DrawnShape {
    const char* name;
    Draw draw;
};

TEST(Modes, OfOneHillAreOneWhateverItsShapeAndTheNumberOfValues) {
    std::uniform_real_distribution<double> even;
    const std::vector<DrawnShape> shapes{
        {"normal", [](auto& random) { return normal(random); }},
        {"log-normal", [](auto& random) { return std::exp(normal(random)); }},
        {"even", [&](auto& random) { return even(random); }},
        {"exponential", [&](auto& random) { return -std::log(1 - even(random)); }},
        {"no variance", [&](auto& random) { return std::log(std::pow(1 - even(random), -1 / 1.5)); }},
        {"rounded to fifths of the deviation",
         [](auto& random) { return std::round(5 * normal(random)) / 5; }},
        {"rounded to two deviations", [](auto& random) { return 2 * std::round(normal(random) / 2 + 0.2); }}};
    for (const auto& shape : shapes) {
        for (const std::size_t n : {20U, 100U, 1000U, 20'000U}) {
            EXPECT_GE(percent_with(1, n, shape.draw), 95) << shape.name << ", " << n;
        }
    }
}

TEST(Modes, OfTwoHillsApartAreTwo) {
    const auto apart_by = [](double distance) {
        return [distance](auto& random) { return normal(random) + (random() % 2 == 0 ? 0 : distance); };
    };
    EXPECT_GE(percent_with(2, 100, apart_by(8)), 95);
    EXPECT_GE(percent_with(2, 1000, apart_by(4)), 95);
    EXPECT_GE(percent_with(2, 20'000, apart_by(3)), 95);
    // One of twenty values lies in the second.
    for (const std::size_t n : {1000U, 20'000U}) {
        EXPECT_GE(
            percent_with(2, n, [](auto& random) { return normal(random) + (random() % 20 == 0 ? 10 : 0); }),
            95)
            << n;
    }
}

TEST(Modes, OfFourHillsAreFourWithTheirPlacesAndShares) {
    std::mt19937_64 random(43);
    const auto values = drawn(random, 10'000, [](auto& from) {
        const auto pick = from() % 10;
        return normal(from) + (pick < 4 ? 0 : pick < 7 ? 8 : pick < 9 ? 30 : 38);
    });
    const auto peaks = peaks_in(values);
    ASSERT_EQ(peaks.size(), 4U);
    const std::vector<double> places{0, 8, 30, 38};
    const std::vector<double> shares{0.4, 0.3, 0.2, 0.1};
    double sum = 0;
    for (std::size_t i = 0; i < peaks.size(); ++i) {
        EXPECT_NEAR(peaks[i].at, places[i], 0.3);
        EXPECT_NEAR(peaks[i].share, shares[i], 0.02);
        sum += peaks[i].share;
    }
    EXPECT_NEAR(sum, 1, 1e-9);
    EXPECT_EQ(peaks.front().from, *std::min_element(values.begin(), values.end()));
    EXPECT_EQ(peaks.back().to, *std::max_element(values.begin(), values.end()));
    EXPECT_EQ(peaks[0].to, peaks[1].from);
}

TEST(Modes, OfSeriesThatRepeatThemselvesAreOne) {
    std::mt19937_64 random(47);
    int one = 0;
    for (int trial = 0; trial < 200; ++trial) {
        one += peaks_in(correlated(random, 1000, 0.9)).size() == 1 ? 1 : 0;
    }
    EXPECT_GE(one, 190);
}

TEST(Modes, ThatCameOneAfterTheOtherAreTwo) {
    std::mt19937_64 random(53);
    auto values = drawn(random, 500, [](auto& from) { return 100 + normal(from); });
    const auto later = drawn(random, 500, [](auto& from) { return 120 + normal(from); });
    values.insert(values.end(), later.begin(), later.end());
    EXPECT_EQ(peaks_in(values).size(), 2U);
}

TEST(Modes, OfEqualValuesAreOne) {
    const std::vector<double> values(50, 3.0);
    const auto peaks = peaks_in(values);
    ASSERT_EQ(peaks.size(), 1U);
    EXPECT_EQ(peaks[0].at, 3);
    EXPECT_EQ(peaks[0].share, 1);
}

TEST(KernelDensity, IsOneInAllAndThatOfTheValuesSmoothed) {
    std::mt19937_64 random(59);
    auto values = drawn(random, 100'000, normal);
    std::sort(values.begin(), values.end());
    const auto density = kernel_density(values, 100'000, 0);
    double sum = 0;
    for (std::size_t i = 0; i < density.density.size(); ++i) {
        sum += density.density[i] * density.step;
        // A normal density smoothed by a normal kernel is one of deviation sqrt(1 + h^2).
        const double wide = std::sqrt(1 + density.bandwidth * density.bandwidth);
        const double x = density.at(i) / wide;
        EXPECT_NEAR(density.density[i], std::exp(-x * x / 2) / (wide * std::sqrt(2 * M_PI)), 0.012);
    }
    EXPECT_NEAR(sum, 1, 1e-3);
}

TEST(KernelDensity, IsNotSmoothedMoreForHeapsFarApart) {
    std::mt19937_64 random(61);
    auto one = drawn(random, 10'000, normal);
    auto two = drawn(random, 10'000, [](auto& from) { return normal(from) + (from() % 2 == 0 ? 0 : 1000); });
    std::sort(one.begin(), one.end());
    std::sort(two.begin(), two.end());
    EXPECT_NEAR(narrow_deviation(one), 1, 0.1);
    // A quarter of all is half of a heap: 1.349 / 0.637.
    EXPECT_NEAR(narrow_deviation(two), 2.117, 0.2);
}

TEST(Tick, IsTheStepOfAClock) {
    std::mt19937_64 random(67);
    // 24 million steps in a second, told in whole nanoseconds, and half of that.
    auto values = drawn(random, 5000, [](auto& from) {
        return std::floor(std::round(100 + 3 * normal(from)) * 1000 / 24) / 2;
    });
    std::sort(values.begin(), values.end());
    EXPECT_NEAR(tick_of(values), 1000.0 / 24 / 2, 0.5);
    auto whole = drawn(random, 5000, [](auto& from) { return std::round(1000 + 20 * normal(from)); });
    std::sort(whole.begin(), whole.end());
    EXPECT_EQ(tick_of(whole), 1);
    EXPECT_EQ(tick_of(std::vector<double>(5, 1.0)), 0);
}

}  // namespace
}  // namespace fathom::stats
