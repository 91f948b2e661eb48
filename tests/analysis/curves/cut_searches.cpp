#include "analysis/curves/cut_searches.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::analysis {
namespace {

using ::testing::IsEmpty;

/// A point without noise.
PointResult bcast_of(std::int64_t size, double time, const char* purpose = "", int procs = 4) {
    PointResult point;
    point.key = {.operation = "bcast", .pattern = "all", .procs = procs, .size = {size}};
    point.status = PointStatus::ok;
    point.purpose = purpose;
    point.time_ns = stats::summarise(std::vector<double>(30, time));
    return point;
}

plan::Plan plan_with(std::int64_t max_points) {
    plan::Plan plan;
    plan.sizes = {"1:1024:auto"};
    plan.max_points = max_points;
    plan.refine_percent = 5;
    return plan;
}

/// Ten times slower above 32 B.
std::vector<PointResult> steep_curve() {
    std::vector<PointResult> points;
    for (std::int64_t size = 1; size <= 1024; size *= 2) {
        points.push_back(bcast_of(size, size <= 32 ? 100 : 1'000));
    }
    return points;
}

TEST(CutSearches, TellTheLargestErrorThatIsLeftAndWhere) {
    const auto cut = cut_searches(steep_curve(), plan_with(11), {}, true);
    ASSERT_EQ(cut.size(), 1U);
    EXPECT_EQ(cut[0].points, 11U);
    EXPECT_EQ(cut[0].key.procs, 4);
    ASSERT_TRUE(cut[0].coarse.has_value());
    EXPECT_EQ(cut[0].coarse->from, 32);
    EXPECT_EQ(cut[0].coarse->to, 64);
    EXPECT_NEAR(cut[0].coarse->error, 0.9, 1e-6) << "the line from below is 900 of 1000 ns off at 64 B";
    EXPECT_FALSE(cut[0].switches_open);
}

TEST(CutSearches, AreNoneWhereTheLimitWasNotReachedOrTheGoalWas) {
    EXPECT_THAT(cut_searches(steep_curve(), plan_with(12), {}, true), IsEmpty());
    std::vector<PointResult> flat;
    for (std::int64_t size = 1; size <= 1024; size *= 2) {
        flat.push_back(bcast_of(size, 100));
    }
    EXPECT_THAT(cut_searches(flat, plan_with(11), {}, true), IsEmpty());
    auto fixed = plan_with(11);
    fixed.sizes = {"1:1024"};
    EXPECT_THAT(cut_searches(steep_curve(), fixed, {}, true), IsEmpty()) << "nothing was searched for";
}

TEST(CutSearches, TellOfPointsWithTooFewRepetitionsWhereTheseAreNotExact) {
    auto points = steep_curve();
    points[3].time_ns = stats::summarise(std::vector<double>(5, 100));
    points[4].time_ns = stats::summarise(std::vector<double>(1, 100));
    EXPECT_THAT(cut_searches(points, plan_with(64), {}, true), IsEmpty());
    const auto cut = cut_searches(points, plan_with(64), {}, false);
    ASSERT_EQ(cut.size(), 1U);
    EXPECT_EQ(cut[0].too_few_reps, 2U);
    EXPECT_FALSE(cut[0].at_limit);
    auto fixed = plan_with(64);
    fixed.sizes = {"1:1024"};
    EXPECT_THAT(cut_searches(points, fixed, {}, false), IsEmpty()) << "nothing was searched for";
}

TEST(CutSearches, TellOfSwitchesThatWereNotLocated) {
    auto plan = plan_with(11);
    plan.sizes = {"1:1024"};
    plan.locate_switches = true;
    const auto points = steep_curve();
    const auto searches = switch_searches(points, true);
    ASSERT_EQ(searches.size(), 1U);
    EXPECT_FALSE(searches[0].complete);
    ASSERT_EQ(switches_of(searches).size(), 1U);
    EXPECT_EQ(switches_of(searches)[0].found.last_below, 32);
    EXPECT_EQ(switches_of(searches)[0].found.first_above, 64);
    const auto cut = cut_searches(points, plan, searches, true);
    ASSERT_EQ(cut.size(), 1U);
    EXPECT_TRUE(cut[0].switches_open);
    EXPECT_FALSE(cut[0].coarse.has_value());
}

TEST(CutSearches, MayBeOverProcesses) {
    auto plan = plan_with(4);
    plan.sizes = {"8"};
    plan.procs = {"2:16:auto"};
    const auto cut = cut_searches({bcast_of(8, 100, "", 2), bcast_of(8, 100, "", 4), bcast_of(8, 900, "", 8),
                                   bcast_of(8, 1'000, "", 16)},
                                  plan, {}, true);
    ASSERT_EQ(cut.size(), 1U);
    EXPECT_FALSE(cut[0].over_sizes);
    EXPECT_EQ(cut[0].key.procs, 0);
    ASSERT_TRUE(cut[0].coarse.has_value());
    EXPECT_EQ(cut[0].coarse->from, 2) << "as wide as it is large, and nothing predicts it better";
    EXPECT_EQ(cut[0].coarse->to, 4);
}

}  // namespace
}  // namespace fathom::analysis
