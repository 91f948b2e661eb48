#include "plan/participants.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_support.hpp"

namespace fathom::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::refusal_of;
using RankWords = std::vector<std::string>;

OperationSettings settings_of(std::int64_t groups, RankWords ranks = {}) {
    OperationSettings settings;
    settings.groups = groups;
    settings.ranks = std::move(ranks);
    return settings;
}

TEST(RankList, TakesRanksAndRangesInAnyOrder) {
    EXPECT_THAT(rank_list(RankWords{"4-7", "0", "2", "5"}), ElementsAre(0, 2, 4, 5, 6, 7));
    EXPECT_THAT(rank_list(RankWords{}), IsEmpty());
    EXPECT_THAT(rank_list(RankWords{"3-3"}), ElementsAre(3));
}

TEST(RankList, IsNeverLongerThanThereCanBeRanks) {
    const RankWords often(1000, "0-9999999");
    EXPECT_EQ(rank_list(often).size(), 10'000'000U);
    EXPECT_THAT(rank_list(RankWords{"2-4", "0-2", "3-6", "6", "1-5"}), ElementsAre(0, 1, 2, 3, 4, 5, 6));
}

TEST(RankList, RefusesWhatIsNoRank) {
    for (const std::string text : {"", "x", "-1", "1-2-3", "1-", "2x", "99999999999"}) {
        EXPECT_EQ(refusal_of([&] { rank_list(RankWords{text}); }), "give ranks such as 0,2,4-7") << text;
    }
    EXPECT_EQ(refusal_of([] { rank_list(RankWords{"7-4"}); }),
              "'7-4' runs backwards; give the smaller rank first");
}

TEST(ProcsOfPoint, AreThoseOfAGroup) {
    EXPECT_EQ(procs_of_point(settings_of(1), 8), 8);
    EXPECT_EQ(procs_of_point(settings_of(4), 8), 2);
    EXPECT_EQ(procs_of_point(settings_of(1, {"0", "4-6"}), 8), 4);
    EXPECT_EQ(procs_of_point(settings_of(2, {"0", "4-6"}), 8), 2);
}

TEST(ProcsOfPoint, MustBeThereAndMakeEqualGroups) {
    EXPECT_EQ(refusal_of([] { procs_of_point(settings_of(4), 6); }),
              "6 processes do not make 4 equal groups; give another -n, --ranks or --groups.");
    EXPECT_EQ(refusal_of([] {
                  procs_of_point(settings_of(1, {"0", "8"}), 8);
              }),
              "--ranks names rank 8, but -n is 8, so the last is 7.");
}

TEST(GroupsOf, FollowEachOther) {
    EXPECT_THAT(groups_of(settings_of(1), 3), ElementsAre(ElementsAre(0, 1, 2)));
    EXPECT_THAT(groups_of(settings_of(2), 2), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
    EXPECT_THAT(groups_of(settings_of(2, {"1", "3", "5-6"}), 2),
                ElementsAre(ElementsAre(1, 3), ElementsAre(5, 6)));
}

TEST(LackOfGroups, IsOfWhatNeedsTheWholeJob) {
    EXPECT_EQ(lack_of_groups(find_operation("allreduce"), settings_of(4, {"0-3"})), "");
    EXPECT_EQ(lack_of_groups(find_operation("matrix"), settings_of(1)), "");
    for (const auto& settings : {settings_of(2), settings_of(1, {"0"})}) {
        EXPECT_EQ(lack_of_groups(find_operation("matrix"), settings),
                  "matrix measures all pairs of the job; leave out --groups and --ranks");
    }
    EXPECT_EQ(lack_of_groups(find_operation("overlap.isend"), settings_of(1, {"0-1"})), "");
    EXPECT_EQ(lack_of_groups(find_operation("overlap.isend"), settings_of(2)),
              "overlap.isend is studied in one group; leave out --groups");
}

TEST(Points, OfGroupsHaveTheProcessesOfEach) {
    Plan plan;
    plan.operations = {"barrier"};
    plan.procs = {"4", "8"};
    plan.operation.groups = 4;
    const auto points = points_of(plan, 8);
    ASSERT_EQ(points.size(), 2U);
    EXPECT_EQ(points[0].key.procs, 1);
    EXPECT_EQ(points[1].key.procs, 2);
    plan.procs = {"4", "6"};
    EXPECT_THROW(points_of(plan, 8), BadInput);
}

TEST(WholePlan, RefusesGroupsWhereTheyMeanNothing) {
    Plan plan;
    plan.operations = {"barrier"};
    plan.operation = settings_of(2);
    plan.procs = {"2:64:auto"};
    EXPECT_THROW(check_whole(plan), BadInput);
    plan.procs = {"4", "8"};
    EXPECT_NO_THROW(check_whole(plan));
    plan.operation.ranks = {"0-3"};
    EXPECT_THROW(check_whole(plan), BadInput) << "one process count";
    plan.procs = {"8"};
    EXPECT_NO_THROW(check_whole(plan));
    plan.operations = {"matrix"};
    EXPECT_THROW(check_whole(plan), BadInput);
    plan.operations = {"barrier"};
    plan.operation.pairs = {"0-1", "2-3", "4-5", "6-7"};
    EXPECT_THROW(check_whole(plan), BadInput);
}

}  // namespace
}  // namespace fathom::plan
