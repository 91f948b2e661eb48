#include "tune/fit/fit.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tune/measured_points.hpp"

namespace fathom::testing {
namespace {

double eager_and_rendezvous(double x) {
    return x <= 4'096 ? 1'000 + 0.5 * x : 4'000 + 0.25 * x;
}

TEST(Fit, OfAKnownFunctionIsThatFunction) {
    std::vector<analysis::PointResult> points;
    for (std::int64_t size = 1; size <= 1 << 20; size *= 2) {
        points.push_back(measured_point("bcast", 8, size, eager_and_rendezvous(static_cast<double>(size))));
    }
    const auto fits = tune::fits_of(points, true);
    ASSERT_EQ(fits.size(), 1U);
    const auto& fit = fits.front();
    ASSERT_EQ(fit.time.ranges.size(), 2U);
    EXPECT_NEAR(fit.time.ranges[0].time.fixed_ns, 1'000, 1e-6);
    EXPECT_NEAR(fit.time.ranges[1].time.per_byte_ns, 0.25, 1e-9);
    EXPECT_LT(fit.largest_error, 1e-9);
    EXPECT_LE(fit.mean_error, fit.largest_error);
    // Between 4096 and 8192 the lines do not meet (they do at 12000): the boundary is in the middle.
    EXPECT_EQ(fit.time.ranges[0].up_to.count, 5'793);
}

TEST(Fit, LinesEndWhereTheyMeet) {
    std::vector<analysis::PointResult> points;
    for (std::int64_t size = 1; size <= 1 << 20; size *= 2) {
        const auto x = static_cast<double>(size);
        points.push_back(measured_point("bcast", 8, size, std::max(1'000 + 0.1 * x, 0.3 * x)));
    }
    const auto fits = tune::fits_of(points, true);
    ASSERT_EQ(fits.size(), 1U);
    ASSERT_EQ(fits[0].time.ranges.size(), 2U);
    EXPECT_EQ(fits[0].time.ranges[0].up_to.count, 5'000);
}

TEST(Fit, IsMadeForEveryCurve) {
    std::vector<analysis::PointResult> points;
    for (std::int64_t size = 8; size <= 4'096; size *= 2) {
        points.push_back(measured_point("bcast", 8, size, 100 + static_cast<double>(size)));
        points.push_back(measured_point("bcast", 8, size, 200, 0, "reference:chain"));
        points.push_back(measured_point("bcast", 4, size, 300));
    }
    points.push_back(measured_point("barrier", 8, 0, 300));  // one size is no curve
    const auto fits = tune::fits_of(points, true);
    ASSERT_EQ(fits.size(), 3U);
    EXPECT_EQ(fits[1].key.implementation, "reference:chain");
    EXPECT_NEAR(fits[1].time.ranges[0].time.per_byte_ns, 0, 1e-9);
}

TEST(Fit, SaysHowFarItIsOff) {
    std::vector<analysis::PointResult> points;
    for (const auto& [size, time] : {std::pair(1, 100.0), {2, 110.0}, {3, 100.0}}) {
        points.push_back(measured_point("bcast", 8, size, time, 0.1));
    }
    const auto fits = tune::fits_of(points, true);
    ASSERT_EQ(fits.size(), 1U);
    double sum = 0;
    double most = 0;
    for (const auto& point : fits[0].points) {
        EXPECT_NEAR(point.fitted_ns, 103, 1);
        sum += std::abs(point.error());
        most = std::max(most, std::abs(point.error()));
    }
    EXPECT_DOUBLE_EQ(fits[0].mean_error, sum / 3);
    EXPECT_DOUBLE_EQ(fits[0].largest_error, most);
}

}  // namespace
}  // namespace fathom::testing
