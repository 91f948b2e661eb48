#include "stats/piecewise_lines.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "stats/random.hpp"

namespace fathom::stats {
namespace {

std::vector<double> doubling_sizes(double first, double last, double factor = 2) {
    std::vector<double> sizes;
    for (double size = first; size <= last; size *= factor) {
        sizes.push_back(std::round(size));
    }
    return sizes;
}

std::vector<MeasuredValue> values_of(const std::vector<double>& sizes,
                                     const std::function<double(double)>& time, double noise = 0,
                                     double claimed = 1e-9, std::uint64_t seed = 1) {
    Random random(seed);
    std::vector<MeasuredValue> values;
    for (const double x : sizes) {
        const double y = time(x) * (1 + noise * random.normal());
        values.push_back({.x = x, .y = y, .error = claimed * y});
    }
    return values;
}

double three_protocols(double x) {
    return x <= 256 ? 900 + 0.5 * x : x <= 16'384 ? 1'500 + 0.3 * x : 9'000 + 0.1 * x;
}

TEST(PiecewiseLines, RecoverAKnownFunctionExactly) {
    const auto values = values_of(doubling_sizes(1, 4e6), three_protocols);
    const auto lines = piecewise_lines(values);
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_NEAR(lines[0].fixed, 900, 1e-6);
    EXPECT_NEAR(lines[0].slope, 0.5, 1e-8);
    EXPECT_NEAR(lines[1].fixed, 1'500, 1e-6);
    EXPECT_NEAR(lines[1].slope, 0.3, 1e-9);
    EXPECT_NEAR(lines[2].fixed, 9'000, 1e-5);
    EXPECT_NEAR(lines[2].slope, 0.1, 1e-9);
    EXPECT_EQ(values[lines[0].last].x, 256);
    EXPECT_EQ(values[lines[1].first].x, 512);
    EXPECT_EQ(values[lines[1].last].x, 16'384);
    EXPECT_EQ(lines[2].last, values.size() - 1);
}

TEST(PiecewiseLines, OfOneLineAreOne) {
    const auto lines = piecewise_lines(values_of(doubling_sizes(1, 1e9), [](double x) { return 10 + x; }));
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_NEAR(lines[0].fixed, 10, 1e-6);
    EXPECT_NEAR(lines[0].slope, 1, 1e-9);
}

/// Of 300 curves that are one line, how many get more.
int false_lines(double noise, double claimed, double factor) {
    int wrong = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const auto lines = piecewise_lines(values_of(
            doubling_sizes(8, 4e6, factor), [](double x) { return 2'000 + 0.4 * x; }, noise, claimed, seed));
        wrong += lines.size() == 1 ? 0 : 1;
    }
    return wrong;
}

TEST(PiecewiseLines, NoiseAddsNone) {
    for (const double factor : {4.0, 2.0, 1.41}) {
        EXPECT_LE(false_lines(0.01, 0.01, factor), 6) << factor;   // 2 %
        EXPECT_LE(false_lines(0.002, 0.01, factor), 0) << factor;  // errors are rather too large
    }
}

TEST(PiecewiseLines, NoiseThatExceedsItsErrorsFiveTimesAddsHardlyAny) {
    for (const double factor : {4.0, 2.0, 1.41}) {
        EXPECT_LE(false_lines(0.05, 0.01, factor), 24) << factor;  // 8 %
    }
}

TEST(PiecewiseLines, NoiseDoesNotHideProtocols) {
    int right = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        right +=
            piecewise_lines(values_of(doubling_sizes(1, 4e6), three_protocols, 0.01, 0.01, seed)).size() == 3
                ? 1
                : 0;
    }
    EXPECT_GE(right, 95);
}

TEST(PiecewiseLines, OfACurveAreLimited) {
    const auto lines =
        piecewise_lines(values_of(doubling_sizes(1, 1e9, 1.1), [](double x) { return std::pow(x, 0.6); }));
    EXPECT_EQ(lines.size(), most_lines);
}

TEST(PiecewiseLines, NeedTwoValues) {
    EXPECT_TRUE(piecewise_lines({}).empty());
    EXPECT_TRUE(piecewise_lines(values_of({8}, [](double) { return 5; })).empty());
    const auto lines = piecewise_lines(values_of({8, 1'048'576}, [](double x) { return 100 + 2 * x; }));
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_NEAR(lines[0].fixed, 100, 1e-4);
}

TEST(PiecewiseLines, AreTheBestDivisionOfAll) {
    // By hand: six values, two lines of three.
    const std::vector<MeasuredValue> values{{0, 0, 1e-3}, {1, 1, 1e-3}, {2, 2, 1e-3},
                                            {3, 9, 1e-3}, {4, 8, 1e-3}, {5, 7, 1e-3}};
    const auto lines = piecewise_lines(values);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].last, 2U);
    EXPECT_NEAR(lines[1].fixed, 12, 1e-9);
    EXPECT_NEAR(lines[1].slope, -1, 1e-9);
}

}  // namespace
}  // namespace fathom::stats
