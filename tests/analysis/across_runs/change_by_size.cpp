#include "analysis/across_runs/change_by_size.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/compared_points.hpp"

namespace fathom::analysis {
namespace {

using testing::add_curve;
using testing::comparison_of;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

ChangeRange range(Change change, std::int64_t from, std::int64_t to, bool from_smallest, bool to_largest) {
    return {.change = change,
            .from = {{from}, {from}},
            .to = {{to}, {to}},
            .from_smallest = from_smallest,
            .to_largest = to_largest};
}

std::vector<ChangeRange> ranges_of(std::string_view verdicts) {
    const auto change = change_by_size(comparison_of("bcast", verdicts));
    EXPECT_THAT(change.groups, SizeIs(1));
    return change.groups.front().ranges;
}

TEST(ChangeBySize, IsWhereTheVerdictChanges) {
    EXPECT_THAT(ranges_of("sssff"), ElementsAre(range(Change::slower, 8, 32, true, false),
                                                range(Change::faster, 64, 128, false, true)));
    EXPECT_THAT(ranges_of("s==f"), ElementsAre(range(Change::slower, 8, 8, true, false),
                                               range(Change::same, 16, 32, false, false),
                                               range(Change::faster, 64, 64, false, true)));
    EXPECT_THAT(ranges_of("==="), ElementsAre(range(Change::same, 8, 32, true, true)));
}

TEST(ChangeBySize, GoesOnBeyondUndecidedSizesButDoesNotEndAtThem) {
    EXPECT_THAT(ranges_of("s?s?ff"), ElementsAre(range(Change::slower, 8, 32, true, false),
                                                 range(Change::faster, 128, 256, false, true)));
    EXPECT_THAT(ranges_of("?ss?"), ElementsAre(range(Change::slower, 16, 32, false, false)));
    const auto group = change_by_size(comparison_of("bcast", "s?s?ff")).groups.front();
    ASSERT_THAT(group.undecided, SizeIs(2));
    EXPECT_EQ(group.undecided.front().size.count, 16);
    EXPECT_EQ(group.points(), 6U);
    EXPECT_THAT(ranges_of("??"), IsEmpty());
}

TEST(ChangeBySize, CountsOnlyWhereVerdictsFollowNoOrder) {
    const auto group = change_by_size(comparison_of("bcast", "sfs=f")).groups.front();
    EXPECT_THAT(group.ranges, IsEmpty());
    EXPECT_EQ(group.slower, 2U);
    EXPECT_EQ(group.faster, 2U);
    EXPECT_EQ(group.same, 1U);
}

TEST(ChangeBySize, TakesCurvesTogetherThatAgree) {
    auto comparison = comparison_of("bcast", "ss?ff");
    add_curve(comparison, "barrier", "=");
    add_curve(comparison, "allreduce", "s?sff");
    add_curve(comparison, "alltoall", "?????");
    add_curve(comparison, "allreduce", "sffff", 8);
    const auto change = change_by_size(comparison);
    ASSERT_THAT(change.groups, SizeIs(4));
    EXPECT_THAT(change.curves, SizeIs(5));
    const auto& agree = change.groups[0];
    ASSERT_THAT(agree.curves, SizeIs(2)) << "where one is undecided, the other may be decided";
    EXPECT_EQ(agree.curves[1].operation, "allreduce");
    EXPECT_THAT(agree.ranges, ElementsAre(range(Change::slower, 8, 32, true, false),
                                          range(Change::faster, 64, 128, false, true)));
    EXPECT_EQ(agree.sizes, 5U);
    EXPECT_EQ(agree.points(), 10U);
    EXPECT_EQ(change.groups[1].curves.front().procs, 8) << "it became faster at other sizes";
    EXPECT_EQ(change.groups[2].curves.front().operation, "barrier") << "what changed stands first";
    EXPECT_EQ(change.groups[3].curves.front().operation, "alltoall") << "what is undecided last";
}

TEST(ChangeBySize, TakesCurvesOfOneOrderTogetherWhereThereWereTooManyGroups) {
    auto comparison = comparison_of("bcast", "sffff");
    add_curve(comparison, "reduce", "ssfff");
    add_curve(comparison, "scatter", "sssff");
    EXPECT_THAT(change_by_size(comparison).groups, SizeIs(3));
    add_curve(comparison, "gather", "?sssf");
    const auto change = change_by_size(comparison);
    ASSERT_THAT(change.groups, SizeIs(1));
    const std::vector<ChangeRange> wanted{{.change = Change::slower,
                                           .from = {{8}, {16}},
                                           .to = {{8}, {64}},
                                           .from_smallest = false,
                                           .to_largest = false},
                                          {.change = Change::faster,
                                           .from = {{16}, {128}},
                                           .to = {{128}, {128}},
                                           .from_smallest = false,
                                           .to_largest = true}};
    EXPECT_EQ(change.groups.front().ranges, wanted);
    EXPECT_EQ(change.groups.front().points(), 20U);
}

TEST(ChangeBySize, CountsWhatIsLeftWhereOrdersAreTooMany) {
    auto comparison = comparison_of("bcast", "sf");
    add_curve(comparison, "reduce", "fs");
    add_curve(comparison, "scatter", "ss");
    add_curve(comparison, "gather", "=f");
    add_curve(comparison, "scan", "==");
    const auto change = change_by_size(comparison);
    ASSERT_THAT(change.groups, SizeIs(4));
    const auto& rest = change.groups[2];
    EXPECT_THAT(rest.curves, SizeIs(2));
    EXPECT_THAT(rest.ranges, IsEmpty());
    EXPECT_EQ(rest.slower, 2U);
    EXPECT_EQ(rest.faster, 1U);
    EXPECT_EQ(rest.same, 1U);
    EXPECT_EQ(change.groups[3].same, 2U) << "what is the same is told separately";
}

TEST(ChangeBySize, HasTheLargestChangeInBothDirectionsOfWhatIsDecided) {
    auto comparison = comparison_of("bcast", "ss=ff");
    comparison.points[2].ratio = 9;
    const auto change = change_by_size(comparison);
    ASSERT_TRUE(change.slowest && change.fastest);
    EXPECT_EQ(change.slowest->key.size.count, 16);
    EXPECT_EQ(change.fastest->key.size.count, 128);
    const auto nothing = change_by_size(comparison_of("bcast", "=?"));
    EXPECT_FALSE(nothing.slowest || nothing.fastest);
}

}  // namespace
}  // namespace fathom::analysis
