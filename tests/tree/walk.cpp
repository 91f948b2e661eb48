#include "tree/walk.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tree/sample_trees.hpp"

namespace fathom::tree {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Nodes, AreLeavesFirstThenJoins) {
    const auto tree = two_hosts();
    EXPECT_EQ(node_count(tree), 11);
    EXPECT_EQ(root_of(tree), 8);
    EXPECT_TRUE(is_leaf(tree, 7));
    EXPECT_FALSE(is_leaf(tree, 8));
    EXPECT_EQ(rank_of(tree, 7), 7);
    EXPECT_EQ(rank_of(tree, 10), 4);
    EXPECT_EQ(parent_of(tree, 7), 10);
    EXPECT_EQ(parent_of(tree, 10), 8);
    EXPECT_EQ(parent_of(tree, 8), std::nullopt);
    EXPECT_EQ(edge_of(tree, 7), EdgeKind::flag);
    EXPECT_EQ(edge_of(tree, 10), EdgeKind::message);
    EXPECT_EQ(rank_count(tree), 8);
}

TEST(Spans, AreTheLeavesBelow) {
    const auto spans = spans_of(two_hosts());
    EXPECT_EQ(spans[3], (Span{3, 3, 1}));
    EXPECT_EQ(spans[8], (Span{0, 7, 8}));
    EXPECT_EQ(spans[9], (Span{0, 3, 4}));
    EXPECT_EQ(spans[10], (Span{4, 7, 4}));
    EXPECT_EQ(spans_of(even_and_odd())[5], (Span{0, 2, 2}));
}

TEST(Children, AreInRankOrder) {
    EXPECT_THAT(children_of(two_hosts()),
                ElementsAre(ElementsAre(9, 10), ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, 6, 7)));
    // A join that stands behind its sibling, but has the lower ranks.
    auto tree = two_hosts();
    std::swap(tree.joins[1], tree.joins[2]);
    for (auto& leaf : tree.leaves) {
        leaf.parent = 3 - leaf.parent;
    }
    EXPECT_THAT(children_of(tree).front(), ElementsAre(10, 9));
}

TEST(Heights, CountEdges) {
    EXPECT_EQ(height_of(two_hosts()), 2);
    EXPECT_EQ(height_of(made(Shape::flat, 8)), 1);
    EXPECT_EQ(height_of(made(Shape::chain, 8)), 7);
    EXPECT_EQ(depths_of(two_hosts())[9], 1);
    EXPECT_EQ(depths_of(two_hosts())[0], 2);
}

TEST(Steps, AreLeavesThenJoinsFromTheFurthestOn) {
    const auto tree = two_hosts();
    EXPECT_THAT(steps_of(tree, 0), ElementsAre(Step{.node = 0}, Step{.node = 9, .children = {0, 1, 2, 3}},
                                               Step{.node = 8, .children = {9, 10}}));
    EXPECT_THAT(steps_of(tree, 4), ElementsAre(Step{.node = 4}, Step{.node = 10, .children = {4, 5, 6, 7}}));
    EXPECT_THAT(steps_of(tree, 5), ElementsAre(Step{.node = 5}));
    EXPECT_THAT(steps_of(tree, 8), IsEmpty());
}

TEST(Steps, OfARankHaveAllItsThreads) {
    Tree tree{.name = "threads",
              .joins = {{.name = "root", .rank = 1}},
              .leaves = {{.rank = 0, .thread = 0}, {.rank = 0, .thread = 1}, {.rank = 1}},
              .segment = std::nullopt};
    EXPECT_THAT(steps_of(tree, 0), ElementsAre(Step{.node = 0}, Step{.node = 1}));
    EXPECT_THAT(steps_of(tree, 1), ElementsAre(Step{.node = 2}, Step{.node = 3, .children = {0, 1, 2}}));
}

/// Everything that ranks do together is the whole tree, and what a rank needs of its own is done before.
TEST(Steps, OfAllRanksAreTheWholeTreeInAnOrderThatCanBeDone) {
    for (const auto shape : values_of<Shape>) {
        for (const int procs : {1, 2, 3, 7, 16, 17}) {
            const auto tree = made(shape, procs, procs > 3 ? 3 : 1);
            std::set<Node> all;
            for (int rank = 0; rank < procs; ++rank) {
                std::set<Node> own;
                for (const auto& step : steps_of(tree, rank)) {
                    EXPECT_EQ(rank_of(tree, step.node), rank);
                    for (const auto child : step.children) {
                        EXPECT_TRUE(rank_of(tree, child) != rank || own.contains(child)) << to_text(shape);
                    }
                    own.insert(step.node);
                    EXPECT_TRUE(all.insert(step.node).second);
                }
            }
            EXPECT_EQ(static_cast<int>(all.size()), node_count(tree)) << to_text(shape) << " " << procs;
        }
    }
}

TEST(RankOrder, HoldsWhereSubtreesDoNotInterleave) {
    EXPECT_TRUE(in_rank_order(two_hosts()));
    EXPECT_FALSE(in_rank_order(even_and_odd()));
    EXPECT_EQ(join_out_of_order(even_and_odd()), 0);
    EXPECT_EQ(join_out_of_order(two_hosts()), std::nullopt);
}

TEST(RankOrder, NamesTheJoinWhoseChildrenInterleave) {
    // The root's children do not interleave, those of the right one do.
    Tree tree{.name = "",
              .joins = {{.name = "root", .rank = 0},
                        {.name = "right", .rank = 2, .parent = 0},
                        {.name = "even", .rank = 2, .parent = 1},
                        {.name = "odd", .rank = 3, .parent = 1}},
              .leaves = {{.rank = 0, .parent = 0},
                         {.rank = 1, .parent = 0},
                         {.rank = 2, .parent = 2},
                         {.rank = 3, .parent = 3},
                         {.rank = 4, .parent = 2},
                         {.rank = 5, .parent = 3}},
              .segment = std::nullopt};
    EXPECT_EQ(join_out_of_order(tree), 1);
}

/// The same by its definition: what a walk in the order of children comes to.
TEST(RankOrder, IsThatOfAWalk) {
    for (const auto& tree : {two_hosts(), even_and_odd(), made(Shape::binomial, 13)}) {
        const auto children = children_of(tree);
        std::vector<Node> seen;
        std::vector<Node> left{root_of(tree)};
        while (!left.empty()) {
            const auto node = left.back();
            left.pop_back();
            if (is_leaf(tree, node)) {
                seen.push_back(node);
            } else {
                const auto& below = children[static_cast<std::size_t>(join_at(tree, node))];
                left.insert(left.end(), below.rbegin(), below.rend());
            }
        }
        EXPECT_EQ(std::is_sorted(seen.begin(), seen.end()), in_rank_order(tree)) << tree.name;
    }
}

}  // namespace
}  // namespace fathom::tree
