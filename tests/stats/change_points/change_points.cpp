#include "stats/change_points/change_points.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "stats/change_points/curves.hpp"

namespace fathom::stats {
namespace {

struct Named {
    std::string name;
    Curve curve;
};

/// Curves of one law.
std::vector<Named> smooth_curves() {
    return {{"constant", [](double) { return 1000.0; }},
            {"line", [](double x) { return 1000 + 0.1 * x; }},
            {"steep line", [](double x) { return 500 + 2 * x; }},
            {"power 0.9", [](double x) { return 1000 + 0.5 * std::pow(x, 0.9); }},
            {"power 1.1", [](double x) { return 1000 + 0.1 * std::pow(x, 1.1); }},
            {"logarithm", [](double x) { return 1000 + 100 * std::log2(x + 1); }}};
}

Curve times(double factor, const Curve& curve) {
    return [=](double x) { return factor * curve(x); };
}

std::vector<CurvePoint> without_noise(const Curve& curve) {
    return doubling_sizes([&](std::int64_t x) { return simulated(curve, x); });
}

std::vector<CurvePoint> with_noise(const Curve& curve, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    return doubling_sizes([&](std::int64_t x) { return measured(curve, x, random); });
}

/// Medians that are themselves off by 2 %, as their intervals say.
std::vector<CurvePoint> with_coarse_noise(const Curve& curve, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise;
    return doubling_sizes([&](std::int64_t x) -> CurvePoint {
        const double t = curve(static_cast<double>(x));
        const double median = t + 0.02 * t * noise(random);
        return {x, median, median - 1.96 * 0.02 * t, median + 1.96 * 0.02 * t};
    });
}

/// Whether the only switch is a jump between the neighbours around a size.
bool finds_jump(const std::vector<CurvePoint>& points, std::int64_t last_below) {
    const auto found = find_change_points(points);
    return found.size() == 1 && found[0].jump && found[0].last_below <= last_below &&
           last_below < found[0].first_above && found[0].first_above == 2 * found[0].last_below;
}

TEST(FindChangePoints, FindsNoneInSmoothCurves) {
    for (const auto& [name, curve] : smooth_curves()) {
        EXPECT_TRUE(find_change_points(without_noise(curve)).empty()) << name;
    }
}

TEST(FindChangePoints, TakesNoiseForASwitchInFewerThanOneOfAHundredSeries) {
    constexpr int series = 300;
    for (const auto& [name, curve] : smooth_curves()) {
        int fine = 0;
        int coarse = 0;
        for (std::uint64_t seed = 0; seed < series; ++seed) {
            fine += find_change_points(with_noise(curve, seed)).empty() ? 0 : 1;
            coarse += find_change_points(with_coarse_noise(curve, seed)).empty() ? 0 : 1;
        }
        EXPECT_LE(fine, series / 100) << name;
        EXPECT_LE(coarse, series / 100) << name;
    }
}

TEST(FindChangePoints, FindsJumpsOf5PercentBetweenAnyTwoSizes) {
    for (const double factor : {1.05, 0.95, 1.5, 0.5}) {
        for (std::int64_t x = 1; x < 4 << 20; x *= 2) {
            const auto curve = switching(x + x / 3, line(1000, 0.1), times(factor, line(1000, 0.1)));
            EXPECT_TRUE(finds_jump(without_noise(curve), x + x / 3)) << factor << " above " << x;
        }
    }
}

TEST(FindChangePoints, FindsJumpsOf5PercentInNoise) {
    int found = 0;
    int all = 0;
    for (const double factor : {1.05, 0.95}) {
        for (std::int64_t x = 1; x < 4 << 20; x *= 2) {
            for (std::uint64_t seed = 0; seed < 10; ++seed) {
                const auto curve = switching(x + x / 3, line(1000, 0.1), times(factor, line(1000, 0.1)));
                found += finds_jump(with_noise(curve, seed), x + x / 3) ? 1 : 0;
                ++all;
            }
        }
    }
    EXPECT_GE(found, all * 95 / 100);
}

TEST(FindChangePoints, SaysWhatTheLawsAre) {
    const auto found = find_change_points(without_noise(switching(12288, line(1000, 1), line(2500, 0.5))));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].last_below, 8192);
    EXPECT_EQ(found[0].first_above, 16384);
    EXPECT_TRUE(found[0].jump);
    EXPECT_NEAR(found[0].before, 1000 + 12288, 1e-3);
    EXPECT_NEAR(found[0].after, 2500 + 12288 / 2, 1e-3);
    EXPECT_NEAR(found[0].slope_before, 1, 1e-6);
    EXPECT_NEAR(found[0].slope_after, 0.5, 1e-6);
    EXPECT_GT(found[0].significance, 1000);
}

TEST(FindChangePoints, FindsAJumpInACurveThatIsNoLine) {
    const Curve power = [](double x) { return 1000 + 0.1 * std::pow(x, 0.9); };
    for (const std::int64_t x : {1, 100, 12288, 100'000, 1'000'000}) {
        EXPECT_TRUE(finds_jump(without_noise(switching(x, power, times(1.3, power))), x)) << x;
        EXPECT_TRUE(finds_jump(with_noise(switching(x, power, times(1.3, power)), 1), x)) << x;
    }
}

TEST(FindChangePoints, FindsTwoInACurve) {
    const auto curve = switching(3000, line(1000, 0.1), switching(300'000, line(2000, 0.1), line(9000, 0.1)));
    for (const auto& points : {without_noise(curve), with_noise(curve, 1)}) {
        const auto found = find_change_points(points);
        ASSERT_EQ(found.size(), 2U);
        EXPECT_EQ(found[0].last_below, 2048);
        EXPECT_EQ(found[0].first_above, 4096);
        EXPECT_EQ(found[1].last_below, 262'144);
        EXPECT_EQ(found[1].first_above, 524'288);
        EXPECT_TRUE(found[0].jump && found[1].jump);
    }
}

TEST(FindChangePoints, FindsTwoThatAreNear) {
    const auto curve = switching(3000, line(1000, 0.1), switching(12288, line(2000, 0.1), line(3000, 0.1)));
    const auto found = find_change_points(without_noise(curve));
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].last_below, 2048);
    EXPECT_EQ(found[1].last_below, 8192);
}

TEST(FindChangePoints, FindsABendWhereItMatters) {
    for (const auto& [below, above] : {std::pair{1.0, 2.0}, std::pair{2.0, 1.0}, std::pair{0.1, 0.4}}) {
        for (const std::int64_t x : {5000, 12288, 100'000}) {
            const auto there = static_cast<double>(x);
            const auto curve = switching(x, line(1000, below), line(1000 + (below - above) * there, above));
            for (const auto& points : {without_noise(curve), with_noise(curve, 3)}) {
                const auto found = find_change_points(points);
                ASSERT_EQ(found.size(), 1U) << x;
                EXPECT_FALSE(found[0].jump) << x;
                EXPECT_LE(found[0].last_below, x);
                EXPECT_GE(found[0].first_above, x);
                EXPECT_NEAR(found[0].slope_after / found[0].slope_before, above / below, 0.1 * above / below);
                EXPECT_NEAR(found[0].before, found[0].after, 0.02 * found[0].before);
            }
        }
    }
}

TEST(FindChangePoints, OverlooksABendThatNobodyNotices) {
    // 0.0001 ns a byte more or less is 0.04 % of a time of a microsecond.
    EXPECT_TRUE(
        find_change_points(without_noise(switching(1000, line(1000, 1e-6), line(1000, 2e-6)))).empty());
}

TEST(FindChangePoints, NeedsAFewPoints) {
    EXPECT_TRUE(find_change_points({}).empty());
    const std::vector<CurvePoint> three{{1, 10, 10, 10}, {2, 10, 10, 10}, {4, 99, 99, 99}};
    EXPECT_TRUE(find_change_points(three).empty()) << "a third point off a line is no sign yet";
    const std::vector<CurvePoint> four{{1, 10, 10, 10}, {2, 10, 10, 10}, {4, 10, 10, 10}, {8, 99, 99, 99}};
    EXPECT_EQ(find_change_points(four).size(), 1U);
}

TEST(FindChangePoints, FindsASpecialSizeZero) {
    auto points = without_noise(line(1000, 0.1));
    points.insert(points.begin(), {0, 600, 600, 600});
    const auto found = find_change_points(points);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(switch_text(found[0]), "switch at 0 B, 1.7 times slower above");
}

TEST(SwitchText, SaysWhereAndHowMuch) {
    EXPECT_EQ(switch_text({12288, 12289, 1000, 1800, true, 9, 1, 1}),
              "switch at 12288 B, 1.8 times slower above");
    EXPECT_EQ(switch_text({12200, 12290, 1300, 1000, true, 9, 1, 1}),
              "switch between 12200 B and 12290 B, 1.3 times faster above");
    EXPECT_EQ(switch_text({1, 2, 1000, 1050, true, 9, 1, 1}), "switch at 1 B, 1.05 times slower above");
    EXPECT_EQ(switch_text({1, 2, 1000, 25'000, true, 9, 1, 1}), "switch at 1 B, 25 times slower above");
}

TEST(SwitchText, ComparesTheSlopesOfABend) {
    EXPECT_EQ(switch_text({4096, 4097, 1000, 1000, false, 9, 1, 2}),
              "bend at 4096 B, 2.0 times steeper above");
    EXPECT_EQ(switch_text({4000, 5000, 1000, 1000, false, 9, 3, 2}),
              "bend between 4000 B and 5000 B, 1.5 times flatter above");
    EXPECT_EQ(switch_text({4096, 4097, 1000, 1000, false, 9, 0, 2}), "bend at 4096 B, steeper above");
    EXPECT_EQ(switch_text({4096, 4097, 1000, 1000, false, 9, 1, -2}), "bend at 4096 B, flatter above");
}

}  // namespace
}  // namespace fathom::stats
