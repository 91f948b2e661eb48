#include "tree/analysis/paths.hpp"

#include <gmock/gmock.h>

#include "tree/analysis/synthetic_tree.hpp"

namespace fathom::tree {
namespace {

using ::testing::ElementsAre;

TEST(Clusters, PutPathsOfTheSameBehaviourTogether) {
    const NodeIndex index(two_level_tree(2, 4));
    StageSettings set;
    // The edge of the second host is a slow network.
    set.other[{StageKind::edge_down, index.find("host1")}] = 30'000;
    set.other[{StageKind::edge_up, index.find("host1")}] = 30'000;
    const auto calls = simultaneous_calls(index, 20, set);
    const StageTimes times(index, calls);
    const auto clusters = clusters_of(times, path_times(times));
    ASSERT_EQ(clusters.size(), 2U);
    EXPECT_THAT(clusters[0].leaves, ElementsAre(4, 5, 6, 7)) << "the slowest first";
    EXPECT_FALSE(clusters[0].fast);
    EXPECT_DOUBLE_EQ(clusters[0].slowest_share, 1);
    EXPECT_THAT(clusters[1].leaves, ElementsAre(0, 1, 2, 3));
    EXPECT_TRUE(clusters[1].fast);
    EXPECT_THAT(clusters[0].leaves, ::testing::Contains(clusters[0].representative));
}

TEST(Clusters, KeepPathsOfOtherLengthsApart) {
    const NodeIndex index(chain_tree(4));
    const auto calls = simultaneous_calls(index, 5, {});
    const StageTimes times(index, calls);
    EXPECT_EQ(clusters_of(times, path_times(times)).size(), 3U) << "one, two and three joins";
}

TEST(Breakdown, SortsStagesByTheirCost) {
    const NodeIndex index(two_level_tree(2, 2));
    StageSettings set;
    set.other[{StageKind::edge_up, index.find("host1")}] = 50'000;
    const auto calls = simultaneous_calls(index, 10, set);
    const StageTimes times(index, calls);
    const auto breakdown = breakdown_of(times, 3, false);
    EXPECT_EQ(breakdown.hot_first.front().stage, (Stage{StageKind::edge_up, index.find("host1")}));
    EXPECT_EQ(breakdown.hot_first.front().time.mean_ns, 50'000);
    EXPECT_EQ(breakdown.in_order.front().stage, (Stage{StageKind::edge_down, 3}));
    double sum = 0;
    double shares = 0;
    for (const auto& cost : breakdown.in_order) {
        EXPECT_NE(cost.stage.kind, StageKind::arrival_wait);
        sum += cost.time.mean_ns;
        shares += cost.share;
    }
    EXPECT_DOUBLE_EQ(sum, breakdown.mean_ns);
    EXPECT_NEAR(shares, 1, 1e-12);
    EXPECT_EQ(breakdown_of(times, 3, true).in_order.size(), breakdown.in_order.size() + 2);
}

TEST(CostsByKind, AreThoseBelowAJoin) {
    const NodeIndex index(two_level_tree(2, 2));
    StageSettings set;
    set.other[{StageKind::edge_up, 1}] = 9'000;
    set.other[{StageKind::edge_up, 3}] = 90'000;
    const auto calls = simultaneous_calls(index, 10, set);
    const StageTimes times(index, calls);
    const auto costs = costs_by_kind(times, index.find("host0"));
    ASSERT_FALSE(costs.empty());
    EXPECT_EQ(costs.front().kind, StageKind::edge_up);
    EXPECT_EQ(costs.front().worst, 1) << "the other host is not below it";
    EXPECT_EQ(costs.front().stages, 2U);
    EXPECT_EQ(costs.front().mean_ns, (9'000.0 + static_cast<double>(set.edge_up)) / 2);
}

}  // namespace
}  // namespace fathom::tree
