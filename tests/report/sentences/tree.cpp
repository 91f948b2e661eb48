#include "report/sentences/tree.hpp"

#include <gmock/gmock.h>

#include "tree/analysis/synthetic_tree.hpp"

namespace fathom::report {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using tree::Advice;
using tree::AdviceKind;
using tree::NodeIndex;
using tree::StageKind;

TEST(TreeSentences, NameNodesAndStages) {
    auto tree = tree::two_level_tree(2, 2);
    tree.leaves[3] = {.rank = 2, .thread = 1, .parent = 2};
    const NodeIndex index(tree);
    EXPECT_EQ(node_text(index, 1), "rank 1");
    EXPECT_EQ(node_text(index, 3), "thread 1 of rank 2");
    EXPECT_EQ(node_text(index, index.find("host1")), "join host1");
    EXPECT_EQ(stage_text(index, {StageKind::edge_down, 1}), "edge from rank 1 to join host0");
    EXPECT_EQ(stage_text(index, {StageKind::edge_up, 1}), "edge from join host0 to rank 1");
    EXPECT_EQ(stage_text(index, {StageKind::departure_wait, index.find("host1")}),
              "departure wait of join host1 at join root");
    EXPECT_EQ(stage_text(index, {StageKind::join_up, index.find("host1")}), "up latency of join host1");
}

TEST(TreeSentences, SayThatTuningWillNotHelp) {
    const NodeIndex index(tree::flat_tree(4));
    EXPECT_THAT(
        sentence(
            index,
            Advice{.kind = AdviceKind::program_imbalance, .share = 0.92, .time_ns = 30'000, .factor = 1.09}),
        StartsWith("Tuning the tree will not help: 92 % of a call (30.0 us) is lost to the program's "
                   "imbalance, and a tree that took no time would make calls 1.09 times faster."));
}

TEST(TreeSentences, SayWhatToChange) {
    const NodeIndex index(tree::flat_tree(4));
    const auto advice = [&](AdviceKind kind) {
        return sentence(
            index, Advice{.kind = kind, .node = index.root(), .share = 0.5, .time_ns = 1'000, .count = 4});
    };
    EXPECT_THAT(advice(AdviceKind::join_computes), HasSubstr("computing the operation takes this long"));
    EXPECT_THAT(advice(AdviceKind::join_wakes_slowly),
                HasSubstr("up latency of join root is large (1.00 us a call"));
    EXPECT_THAT(advice(AdviceKind::serialised_wake_up),
                HasSubstr("its 4 contributors get the result one after"));
    EXPECT_THAT(sentence(index, Advice{.kind = AdviceKind::edges_dominate,
                                       .node = 2,
                                       .share = 0.8,
                                       .time_ns = 2'000,
                                       .count = 2,
                                       .factor = tree::cost_of_twice_the_connections}),
                HasSubstr("1.55 times as much, not 2 times"));
    EXPECT_THAT(
        sentence(index, Advice{.kind = AdviceKind::late_leaf, .node = 3, .share = 0.99, .time_ns = 5'000}),
        StartsWith("Rank 3 enters calls 5.00 us after the middle one"));
    EXPECT_EQ(sentence(index, Advice{.kind = AdviceKind::periodic, .rank = 2, .period_ns = 4e6}),
              "A disturbance recurs every 4.00 ms on rank 2: look for what runs with this period there.");
}

TEST(TreeSentences, SayWhoIsLateAndHowFarThatIsFromChance) {
    const NodeIndex index(tree::flat_tree(4));
    tree::LoadBalance balance;
    EXPECT_THAT(conclusion(index, balance),
                StartsWith("No rank enters calls late more often than by chance"));
    balance.late = {
        {.leaf = 3, .rate = 1, .chance = 0.25, .late_ns = 5'000, .share = 1, .p_value = 0},
        {.leaf = 2, .rate = 1, .chance = 0.25, .late_ns = 5'100, .share = 1, .p_value = 0, .follows = 3}};
    EXPECT_THAT(
        conclusion(index, balance),
        StartsWith("Rank 3 enters calls late: among the last in 100 % of them, where chance makes 25 %, by "
                   "5.00 us. Just behind: rank 2"));
}

TEST(TreeSentences, SayHowManyTimesTheUsualOutliersTake) {
    const NodeIndex index(tree::flat_tree(4));
    tree::StageOutliers outliers{.stage = {StageKind::edge_down, 2}, .calls = 25'000, .outliers = 10};
    outliers.usual_ns = 200'000;
    outliers.threshold_ns = 400'000;
    outliers.mean_ns = 10'840'000;
    outliers.times_usual = 54.2;
    outliers.causes = {{.kind = tree::CountedKind::tcp_timeout, .outliers = 9, .usual_share = 0.001}};
    EXPECT_EQ(sentence(index, outliers),
              "edge from rank 2 to join root: 10 of 25 000 calls over 400 us, 10.8 ms on average (54.2 times "
              "the usual "
              "200 us); TCP timeouts during 9 of them (otherwise during 0.1 %)");
}

TEST(TreeSentences, SayWhatIsMissing) {
    tree::TreeAnalysis analysis{
        .index = NodeIndex(tree::flat_tree(2)), .calls = 10, .complete = 8, .dropped = 5};
    EXPECT_EQ(gaps_text(analysis),
              "2 of 10 calls lack events and count only where theirs suffice and 5 events found no room in "
              "their rings");
    analysis.complete = 10;
    analysis.dropped = 0;
    EXPECT_EQ(gaps_text(analysis), "");
}

}  // namespace
}  // namespace fathom::report
