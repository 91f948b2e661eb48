#include "stats/change_points/local_line.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace fathom::stats {
namespace {

CurvePoint noiseless(std::int64_t x, double t) {
    return {x, t, t, t};
}

CurvePoint noisy(std::int64_t x, double t, double error) {
    return {x, t, t - 1.959964 * error, t + 1.959964 * error};
}

TEST(LocalLine, OfTwoPointsIsTheLineThroughThem) {
    const LocalLine line(std::vector{noisy(20, 50, 3), noisy(10, 30, 4)});
    EXPECT_DOUBLE_EQ(line.at(25).value, 60);
    EXPECT_DOUBLE_EQ(line.at(20).value, 50);
    EXPECT_DOUBLE_EQ(line.slope().value, 2);
    EXPECT_NEAR(line.slope().error, 0.5, 1e-6);  // the root of 9 + 16, by 10
    EXPECT_NEAR(line.at(20).error, 3, 1e-6);
    EXPECT_NEAR(line.at(30).error, std::hypot(2 * 3, 4), 1e-5);  // 2 x second - first
    EXPECT_EQ(line.bias(30), 0);
}

TEST(LocalLine, OfALineIsThatLine) {
    std::vector<CurvePoint> points;
    for (std::int64_t x = 65536; x > 0; x /= 2) {
        points.push_back(noiseless(x, 1000 + 0.1 * static_cast<double>(x)));
    }
    const LocalLine line(points);
    EXPECT_NEAR(line.at(131072).value, 1000 + 0.1 * 131072, 1e-6);
    EXPECT_NEAR(line.bias(131072), 0, 1e-6);
    EXPECT_LT(line.z_score(noiseless(131072, 1000 + 0.1 * 131072)), 3);
    EXPECT_GT(line.z_score(noiseless(131072, (1000 + 0.1 * 131072) * (1 + 1e-8))), 4);
}

TEST(LocalLine, OfOnePointTakesTheSlopeOfTheOtherSide) {
    const LocalLine known(std::vector{noiseless(20, 50), noiseless(10, 30)});
    const LocalLine line(std::vector{noiseless(40, 200)}, &known);
    EXPECT_FALSE(line.slope_known());
    EXPECT_DOUBLE_EQ(line.at(30).value, 180);
    EXPECT_DOUBLE_EQ(LocalLine(std::vector{noiseless(40, 200)}).at(30).value, 200);
}

TEST(LocalLine, FollowsTheNearestPointsOfACurve) {
    const auto power = [](double x) { return std::pow(x, 0.9); };
    std::vector<CurvePoint> points;
    for (std::int64_t x = 65536; x > 0; x /= 2) {
        points.push_back(noiseless(x, power(static_cast<double>(x))));
    }
    const LocalLine line(points);
    EXPECT_NEAR(line.at(65536).value, power(65536), 1e-6 * power(65536));
    EXPECT_NEAR(line.at(70000).value, power(70000), 0.005 * power(70000));
    // An octave further the line is 4 % too high, and the bias says so.
    const double off = line.at(131072).value - power(131072);
    EXPECT_GT(off, 0.02 * power(131072));
    EXPECT_NEAR(line.bias(131072), off, 0.3 * off);
}

TEST(LocalLine, StatesItsErrorRightly) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> noise;
    int beyond = 0;
    for (int trial = 0; trial < 1000; ++trial) {
        std::vector<CurvePoint> points;
        for (std::int64_t x = 1024; x >= 32; x /= 2) {
            const double t = 1000 + static_cast<double>(x);
            points.push_back(noisy(x, t + 0.01 * t * noise(random), 0.01 * t));
        }
        const auto found = LocalLine(points).at(1500);
        beyond += std::abs(found.value - 2500) > 1.96 * found.error ? 1 : 0;
    }
    EXPECT_GE(beyond, 30);
    EXPECT_LE(beyond, 70) << "5 % are expected";
}

TEST(StandardError, IsThatOfTheInterval) {
    EXPECT_NEAR(standard_error({1, 100, 98.04, 101.96}), 1, 1e-4);
    EXPECT_GT(standard_error(noiseless(1, 100)), 0);
    EXPECT_LT(standard_error(noiseless(1, 100)), 1e-7);
    EXPECT_GT(standard_error(noiseless(1, 0)), 0);
}

}  // namespace
}  // namespace fathom::stats
