#include "tree/improve/rank_tree.hpp"

#include <gmock/gmock.h>

#include "tree/check.hpp"
#include "tree/make.hpp"
#include "tree/walk.hpp"

namespace fathom::tree {
namespace {

using ::testing::ElementsAre;

const std::vector<EdgeKind> all_kinds(values_of<EdgeKind>.begin(), values_of<EdgeKind>.end());

TEST(RankTree, IsWhatStandardShapesLookLikeToRanks) {
    EXPECT_THAT(rank_tree_of(make_tree({.shape = Shape::flat, .procs = 4})).parents,
                ElementsAre(-1, 0, 0, 0));
    EXPECT_THAT(rank_tree_of(make_tree({.shape = Shape::chain, .procs = 4})).parents,
                ElementsAre(-1, 0, 1, 2));
    EXPECT_THAT(rank_tree_of(make_tree({.shape = Shape::binomial, .procs = 8})).parents,
                ElementsAre(-1, 0, 0, 2, 0, 4, 4, 6));
    EXPECT_THAT(
        rank_tree_of(make_tree({.shape = Shape::two_level, .procs = 6, .hosts = block_hosts(6, 2)})).parents,
        ElementsAre(-1, 0, 0, 0, 3, 3));
}

TEST(RankTree, MakesATreeThatLooksTheSame) {
    const auto hosts = block_hosts(12, 3);
    for (const auto shape : {Shape::flat, Shape::binary, Shape::binomial, Shape::chain, Shape::two_level}) {
        for (const auto kind : all_kinds) {
            const auto ranks =
                rank_tree_of(make_tree({.shape = shape, .procs = 12, .hosts = hosts, .edge = kind}));
            const auto tree = tree_of(ranks, hosts, "again");
            EXPECT_FALSE(fault_of(tree, {.procs = 12, .hosts = hosts})) << to_text(shape);
            EXPECT_EQ(rank_tree_of(tree), ranks) << to_text(shape) << to_text(kind);
        }
    }
}

TEST(RankTree, KeepsOrderWhereSubtreesAreConsecutive) {
    EXPECT_TRUE(keeps_order({.parents = {-1, 0, 1, 2}}));
    EXPECT_TRUE(keeps_order({.parents = {1, -1, 1, 2}}));
    EXPECT_FALSE(keeps_order({.parents = {-1, 0, 0, 1}})) << "1 and 3 without 2";
}

TEST(RankTree, HasNeighboursThatCanBePerformed) {
    const auto hosts = block_hosts(8, 2);
    const auto from = rank_tree_of(make_tree({.shape = Shape::two_level, .procs = 8, .hosts = hosts}));
    const auto found = neighbours_of(from, hosts, Bytes{1 << 20}, all_kinds);
    EXPECT_GT(found.size(), 20U);
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_FALSE(fault_of(tree_of(found[i], hosts, "n"), {.procs = 8, .hosts = hosts}));
        EXPECT_TRUE(in_rank_order(tree_of(found[i], hosts, "n")));
        EXPECT_NE(found[i], from);
        for (std::size_t j = 0; j < i; ++j) {
            EXPECT_NE(found[i], found[j]);
        }
    }
    const auto has = [&](const auto& wanted) { return std::any_of(found.begin(), found.end(), wanted); };
    EXPECT_TRUE(has([](const RankTree& one) { return one.parents == std::vector{-1, 0, 0, 2, 0, 4, 4, 6}; }))
        << "both hosts alike";
    EXPECT_TRUE(has([](const RankTree& one) { return one.within_hosts == EdgeKind::flag; }));
    EXPECT_TRUE(has([](const RankTree& one) { return one.segment == Bytes{32768}; }));
    EXPECT_TRUE(has([](const RankTree& one) { return one.parents[0] == 1 && one.parents[1] == -1; }))
        << "the root moves to rank 1";
}

TEST(RankTree, SmallMessagesHaveNoSegments) {
    for (const auto& one : neighbours_of({.parents = {-1, 0, 0}}, {}, Bytes{64}, {EdgeKind::message})) {
        EXPECT_FALSE(one.segment);
    }
}

TEST(RankTree, CombinesShapesWithinAndBetweenHosts) {
    const auto hosts = block_hosts(12, 4);
    const auto found = combinations_of_shapes(12, hosts, {EdgeKind::message});
    for (const auto& one : found) {
        EXPECT_FALSE(fault_of(tree_of(one, hosts, "n"), {.procs = 12, .hosts = hosts}));
    }
    const auto has = [&](const std::vector<int>& parents) {
        return std::any_of(found.begin(), found.end(),
                           [&](const RankTree& one) { return one.parents == parents; });
    };
    EXPECT_TRUE(has({-1, 0, 0, 0, 3, 3, 0, 6, 6, 0, 9, 9})) << "flat and flat";
    EXPECT_TRUE(has({-1, 0, 1, 0, 3, 4, 3, 6, 7, 6, 9, 10})) << "chains within and between";
    EXPECT_TRUE(has({-1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})) << "flat over all";
}

TEST(RankTree, RanksInTurnOnHostsAreOneGroup) {
    const Hosts in_turn{"a", "b", "a", "b"};
    for (const auto& one : combinations_of_shapes(4, in_turn, {EdgeKind::message})) {
        EXPECT_FALSE(fault_of(tree_of(one, in_turn, "n"), {.procs = 4, .hosts = in_turn}));
    }
}

}  // namespace
}  // namespace fathom::tree
