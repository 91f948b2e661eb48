#include "analysis/point/quality.hpp"

#include <gtest/gtest.h>

namespace fathom::analysis {
namespace {

/// A point with a median of 100 ns and an interval of this width around it.
PointResult with_width(double width) {
    PointResult point;
    point.key.operation = "bcast";
    point.status = PointStatus::ok;
    point.reps = 100;
    point.time_ns = stats::Summary{};
    point.time_ns->median = 100;
    point.time_ns->median_ci95 = stats::Interval{.low = 100 - width / 2, .high = 100 + width / 2};
    return point;
}

PointResult without_interval() {
    auto point = with_width(1);
    point.time_ns->median_ci95.reset();
    return point;
}

TEST(Goal, IsMissedByAWideIntervalOrNone) {
    const plan::Plan plan;  // 2 %
    EXPECT_FALSE(missed_its_goal(with_width(1.9), plan));
    EXPECT_TRUE(missed_its_goal(with_width(2.1), plan));
    EXPECT_TRUE(missed_its_goal(without_interval(), plan));
}

TEST(Goal, IsMissedByTheWidthOfTheInterval) {
    const auto missed = interval_beyond_goal(with_width(2.1), {});
    ASSERT_TRUE(missed);
    EXPECT_NEAR(missed->width_percent, 2.1, 1e-9);
    EXPECT_EQ(missed->goal_percent, 2);
    EXPECT_FALSE(interval_beyond_goal(with_width(1.9), {}));
    EXPECT_FALSE(interval_beyond_goal(without_interval(), {}));
}

TEST(Goal, IsNotMissedByWhatTheClockCannotResolve) {
    auto point = with_width(4);
    point.step_ns = 2;
    EXPECT_FALSE(missed_its_goal(point, {}));
}

TEST(Goal, IsMissedWhereMostRepetitionsWereSetAside) {
    auto point = with_width(1);
    point.set_aside = 101;
    EXPECT_TRUE(missed_its_goal(point, {}));
    point.set_aside = 99;
    EXPECT_FALSE(missed_its_goal(point, {}));
    point.sound = false;
    EXPECT_TRUE(missed_its_goal(point, {}));
}

TEST(Goal, IsNotThereWhereRepetitionsAreFixed) {
    plan::Plan plan;
    plan.reps = 10;
    EXPECT_FALSE(missed_its_goal(with_width(50), plan));
    auto failed = with_width(50);
    failed.status = PointStatus::failed;
    EXPECT_FALSE(missed_its_goal(failed, {}));
}

TEST(PointQuality, IsDoubtfulFromATenthOfTheMedianOn) {
    EXPECT_EQ(quality_of(with_width(9.9), false), Quality::good);
    EXPECT_EQ(quality_of(with_width(10.1), false), Quality::imprecise);
    EXPECT_EQ(quality_of(without_interval(), false), Quality::imprecise);
    EXPECT_EQ(quality_of(without_interval(), true), Quality::good) << "simulated times are exact";
    auto point = with_width(1);
    point.sound = false;
    EXPECT_EQ(quality_of(point, false), Quality::disturbed);
}

TEST(PointQuality, IsDisturbedFromHalfOfTheCountedRepetitionsOn) {
    auto point = with_width(1);
    point.touched = 49;
    EXPECT_TRUE(point.sound);
    EXPECT_EQ(quality_of(point, false), Quality::good);
    point.touched = 50;
    EXPECT_EQ(quality_of(point, false), Quality::disturbed);
    EXPECT_EQ(quality_of(point, true), Quality::good);
}

/// A point with times from 90 to 130 ns, of which p99 is 120.
PointResult chosen_by() {
    auto point = with_width(20);
    point.value_ns = stats::Reduced{.value = 100, .ci95 = point.time_ns->median_ci95};
    point.time_ns->min = 95;
    point.time_ns->p99 = 120;
    point.time_ns->max = 16'000;
    return point;
}

TEST(RangeOf, IsTheIntervalAsFarAsThereAreTimes) {
    const auto range = range_of(chosen_by(), false);
    ASSERT_TRUE(range);
    EXPECT_DOUBLE_EQ(range->low, 95);
    EXPECT_DOUBLE_EQ(range->high, 110);
    const auto exact = range_of(chosen_by(), true);
    EXPECT_DOUBLE_EQ(exact->low, 100);
    EXPECT_DOUBLE_EQ(exact->high, 100);
}

TEST(RangeOf, IsThatOfTheRepetitionsWhereTheIntervalCannotBeReliedOn) {
    auto point = chosen_by();
    point.quality = Quality::disturbed;
    EXPECT_DOUBLE_EQ(range_of(point, false)->high, 120) << "the largest of all may have been preempted";
    point.quality = Quality::good;
    point.value_ns->ci95.reset();
    EXPECT_DOUBLE_EQ(range_of(point, false)->low, 95);
    point.launches.emplace().values_ns = {100, 200};
    EXPECT_DOUBLE_EQ(range_of(point, false)->high, 200) << "a launch may be slower than most times of others";
    point.time_ns->min = point.time_ns->p99;
    EXPECT_FALSE(range_of(point, false)) << "one value says nothing of others";
}

}  // namespace
}  // namespace fathom::analysis
