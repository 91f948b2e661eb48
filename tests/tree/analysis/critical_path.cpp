#include "tree/analysis/critical_path.hpp"

#include <algorithm>

#include <gmock/gmock.h>

#include "tree/analysis/synthetic_tree.hpp"

namespace fathom::tree {
namespace {

using ::testing::ElementsAre;

TEST(CriticalPath, IsTheChainThatDecidedWhenACallEnded) {
    const NodeIndex index(two_level_tree(2, 2));
    const StageSettings set;
    TracedCalls calls;
    // Rank 2, on the second host, is 5 us late.
    calls.calls.push_back(
        {.launch = 0, .number = 0, .passages = passages_of_call(index, set, {0, 0, 5'000, 0})});
    const StageTimes times(index, calls);
    const auto path = critical_path_of(times, 0);
    const auto root = index.root();
    const auto host1 = index.find("host1");
    EXPECT_EQ(path.first, 2);
    EXPECT_EQ(path.last, 3) << "the second to depart on the second host to depart";
    EXPECT_THAT(path.stages,
                ElementsAre(Stage{StageKind::edge_down, 2}, Stage{StageKind::join_down, host1},
                            Stage{StageKind::edge_down, host1}, Stage{StageKind::join_down, root},
                            Stage{StageKind::store, root}, Stage{StageKind::join_up, root},
                            Stage{StageKind::departure_wait, host1}, Stage{StageKind::edge_up, host1},
                            Stage{StageKind::join_up, host1}, Stage{StageKind::departure_wait, 3},
                            Stage{StageKind::edge_up, 3}));
}

TEST(CriticalPaths, CountWhoWasOnThemAndWhatThatCost) {
    const NodeIndex index(two_level_tree(2, 2));
    const StageSettings set;
    TracedCalls calls;
    const std::vector<std::vector<std::int64_t>> entries{
        {0, 0, 5'000, 0}, {0, 0, 7'000, 0}, {9'000, 0, 0, 0}};
    for (const auto& one : entries) {
        calls.calls.push_back({.launch = 0, .number = 0, .passages = passages_of_call(index, set, one)});
    }
    const StageTimes times(index, calls);
    const auto found = critical_paths(times, path_times(times));
    EXPECT_EQ(found.calls, 3U);
    const auto whole = static_cast<double>(2 * (set.edge_down + set.join_down) + set.store +
                                           2 * (set.join_up + set.gap + set.edge_up));
    ASSERT_TRUE(found.time);
    EXPECT_EQ(found.time->min_ns, whole) << "late entries are not part of it";
    EXPECT_EQ(found.time->max_ns, whole);
    ASSERT_EQ(found.begins.size(), 2U);
    EXPECT_EQ(found.begins.front().leaf, 2);
    EXPECT_DOUBLE_EQ(found.begins.front().share, 2.0 / 3);
    EXPECT_EQ(found.ends.front().leaf, 3);
    EXPECT_DOUBLE_EQ(found.ends.front().share, 1);
    // The edge between the second host and the root: down in two calls, up in all three.
    EXPECT_EQ(found.edges.front().node, index.find("host1"));
    EXPECT_EQ(found.edges.front().cost.calls, 3U);
    EXPECT_DOUBLE_EQ(found.edges.front().cost.total_ns,
                     static_cast<double>(2 * set.edge_down + 3 * set.edge_up));
    double shares = 0;
    for (const auto& stage : found.stages) {
        shares += stage.cost.share;
    }
    EXPECT_NEAR(shares, 1, 1e-12);
    const auto root = std::ranges::find(found.joins, index.root(), &CriticalNode::node);
    ASSERT_NE(root, found.joins.end());
    EXPECT_EQ(root->cost.calls, 3U);
    EXPECT_DOUBLE_EQ(root->cost.total_ns,
                     static_cast<double>(3 * (set.join_down + set.store + set.join_up + set.gap)));
    const auto rank_1 = std::ranges::find(found.ranks, 1, &CriticalRank::rank);
    EXPECT_EQ(rank_1, found.ranks.end()) << "rank 1 was never on it";
}

TEST(CriticalPaths, SaySlowestPathCallByCall) {
    const NodeIndex index(flat_tree(3));
    TracedCalls calls;
    for (int call = 0; call < 10; ++call) {
        StageSettings set;
        set.gap = 0;
        // Rank 1's edge is the slowest in three of ten calls, else rank 2's.
        set.other[{StageKind::edge_up, call % 4 == 1 ? 1 : 2}] = 9'000;
        calls.calls.push_back(
            {.launch = 0, .number = 0, .passages = passages_of_call(index, set, {0, 0, 0})});
    }
    const StageTimes times(index, calls);
    const auto found = critical_paths(times, path_times(times));
    ASSERT_EQ(found.slowest.size(), 2U);
    EXPECT_EQ(found.slowest[0].leaf, 2);
    EXPECT_DOUBLE_EQ(found.slowest[0].share, 0.7);
    EXPECT_EQ(found.slowest[1].leaf, 1);
    EXPECT_DOUBLE_EQ(found.slowest[1].share, 0.3);
}

TEST(CriticalPaths, AreNotSaidOfCallsWithMissingEvents) {
    const NodeIndex index(flat_tree(3));
    TracedCalls calls;
    calls.calls.push_back({.launch = 0, .number = 0, .passages = passages_of_call(index, {}, {0, 0, 0})});
    calls.calls.back().passages[2].up_ns = Event::never;
    const StageTimes times(index, calls);
    EXPECT_TRUE(times.complete().empty());
    EXPECT_EQ(critical_paths(times, path_times(times)).calls, 0U);
    EXPECT_EQ(times.series({StageKind::edge_down, 1}).size(), 1U) << "what has its events counts";
    EXPECT_TRUE(times.series({StageKind::edge_up, 1}).empty());
}

}  // namespace
}  // namespace fathom::tree
