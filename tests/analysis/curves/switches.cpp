#include "analysis/curves/switches.hpp"

#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace fathom::analysis {
namespace {

PointResult point_of(std::int64_t bytes, stats::Interval reach, Quality quality = Quality::good) {
    PointResult point;
    point.key = {.operation = "pingpong", .procs = 2, .size = {bytes}};
    point.status = PointStatus::ok;
    point.quality = quality;
    point.time_ns = stats::Summary{.count = 41, .median = (reach.low + reach.high) / 2, .median_ci95 = reach};
    return point;
}

/// Whether a switch between 256 B and 257 B is there, of times about 10 us below and those of `above`.
bool stands_beside(const PointResult& above, bool jump = true) {
    const FoundSwitch at{.key = of_size(above.key, {}),
                         .found = {.last_below = 256, .first_above = 257, .jump = jump}};
    const auto disturbed_elsewhere = point_of(64, {1'000, 90'000}, Quality::disturbed);
    return stands(at, {disturbed_elsewhere, point_of(256, {9'900, 10'100}), above}, false);
}

TEST(Switch, StandsBetweenTrustedPoints) {
    EXPECT_TRUE(stands_beside(point_of(257, {10'000, 10'600})));
    EXPECT_TRUE(stands_beside(point_of(257, {10'000, 10'600}), false)) << "a bend";
}

TEST(Switch, DoesNotStandBesideADisturbedPoint) {
    EXPECT_FALSE(stands_beside(point_of(257, {99'000, 99'900}, Quality::disturbed)));
}

TEST(Switch, StandsBesideAnImprecisePointWhereTheJumpIsMoreThanIsNotKnown) {
    for (const auto reach : {stats::Interval{10'200, 30'000}, stats::Interval{2'000, 9'800}}) {
        EXPECT_TRUE(stands_beside(point_of(257, reach, Quality::imprecise))) << reach.low;
        EXPECT_FALSE(stands_beside(point_of(257, reach, Quality::imprecise), false)) << "a bend";
    }
    EXPECT_FALSE(stands_beside(point_of(257, {10'000, 30'000}, Quality::imprecise)));
    auto unknown = point_of(257, {20'000, 30'000}, Quality::imprecise);
    unknown.time_ns->median_ci95.reset();
    unknown.time_ns->count = 5;
    EXPECT_FALSE(stands_beside(unknown)) << "of which nothing is known";
}

}  // namespace
}  // namespace fathom::analysis
