#include "tree/make.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_support.hpp"
#include "tree/check.hpp"
#include "tree/figures.hpp"
#include "tree/sample_trees.hpp"
#include "tree/walk.hpp"

namespace fathom::tree {
namespace {

using fathom::testing::refusal_of;
using ::testing::ElementsAre;

/// A join in short: `r4 < root: 4 5 r6`, with its children in rank order.
std::vector<std::string> joins_of(const Tree& tree) {
    std::vector<std::string> all;
    const auto children = children_of(tree);
    for (std::size_t i = 0; i < tree.joins.size(); ++i) {
        const auto& join = tree.joins[i];
        auto text = join.name + "@" + std::to_string(join.rank) + ":";
        for (const auto child : children[i]) {
            text += " " + (is_leaf(tree, child)
                               ? std::to_string(rank_of(tree, child))
                               : tree.joins[static_cast<std::size_t>(join_at(tree, child))].name);
        }
        all.push_back(text);
    }
    return all;
}

TEST(MakeTree, OfEveryShapeHoldsTogetherAndKeepsRanksInOrder) {
    for (const auto shape : values_of<Shape>) {
        for (int procs = 1; procs <= 40; ++procs) {
            for (int hosts = 1; hosts <= std::min(procs, 6); ++hosts) {
                auto recipe_hosts = block_hosts(procs, hosts);
                const auto tree = make_tree(
                    {.shape = shape,
                     .procs = procs,
                     .hosts = recipe_hosts,
                     .edge = EdgeKind::futex,
                     .topology = {
                         .cores = 3,
                         .groups = {{.what = machine::Sharing::socket, .first_core = 0, .last_core = 1}}}});
                const auto fault = fault_of(tree, {.procs = procs, .hosts = recipe_hosts});
                ASSERT_FALSE(fault) << to_text(shape) << " " << procs << " " << hosts << ": "
                                    << fault->sentence;
                ASSERT_TRUE(in_rank_order(tree)) << to_text(shape) << " " << procs << " " << hosts;
                ASSERT_EQ(tree.name, to_text(shape));
                for (Node node = 0; node < node_count(tree); ++node) {
                    if (const auto parent = parent_of(tree, node)) {
                        const bool together = recipe_hosts[static_cast<std::size_t>(rank_of(tree, node))] ==
                                              recipe_hosts[static_cast<std::size_t>(rank_of(tree, *parent))];
                        ASSERT_EQ(edge_of(tree, node), together ? EdgeKind::futex : EdgeKind::message);
                    }
                }
            }
        }
    }
}

TEST(MakeTree, Flat) {
    EXPECT_THAT(joins_of(made(Shape::flat, 4)), ElementsAre("root@0: 0 1 2 3"));
    EXPECT_THAT(joins_of(made(Shape::flat, 1)), ElementsAre("root@0: 0"));
}

TEST(MakeTree, Binary) {
    EXPECT_THAT(joins_of(made(Shape::binary, 7)),
                ElementsAre("root@0: 0 r1 r4", "r1@1: 1 2 3", "r4@4: 4 5 6"));
    EXPECT_EQ(height_of(made(Shape::binary, 15)), 3);
    EXPECT_EQ(height_of(made(Shape::binary, 1)), 1);
}

TEST(MakeTree, KAry) {
    const auto three = make_tree({.shape = Shape::k_ary, .procs = 9, .arity = 3});
    EXPECT_THAT(joins_of(three),
                ElementsAre("root@0: 0 r1 r4 r7", "r1@1: 1 2 3", "r4@4: 4 5 6", "r7@7: 7 8"));
    EXPECT_THAT(joins_of(made(Shape::k_ary, 6)), ElementsAre("root@0: 0 r1 3 4 5", "r1@1: 1 2"));
}

TEST(MakeTree, Binomial) {
    EXPECT_THAT(joins_of(made(Shape::binomial, 8)),
                ElementsAre("root@0: 0 1 r2 r4", "r2@2: 2 3", "r4@4: 4 5 r6", "r6@6: 6 7"));
    EXPECT_THAT(joins_of(made(Shape::binomial, 6)),
                ElementsAre("root@0: 0 1 r2 r4", "r2@2: 2 3", "r4@4: 4 5"));
}

TEST(MakeTree, Chain) {
    EXPECT_THAT(joins_of(made(Shape::chain, 4)), ElementsAre("root@0: 0 r1", "r1@1: 1 r2", "r2@2: 2 3"));
    EXPECT_EQ(height_of(made(Shape::chain, 100'000)), 99'999) << "without recursion";
}

TEST(MakeTree, TwoLevel) {
    EXPECT_THAT(joins_of(made(Shape::two_level, 5, 2)),
                ElementsAre("root@0: host0 host1", "host0@0: 0 1 2", "host1@3: 3 4"));
    EXPECT_THAT(joins_of(made(Shape::two_level, 3, 2)), ElementsAre("root@0: host0 2", "host0@0: 0 1"))
        << "a rank alone on its host is a leaf";
    EXPECT_THAT(joins_of(made(Shape::two_level, 3, 1)), ElementsAre("root@0: 0 1 2"));
    // With an arity, both levels are divided.
    const auto divided =
        make_tree({.shape = Shape::two_level, .procs = 8, .hosts = block_hosts(8, 2), .arity = 2});
    EXPECT_THAT(joins_of(divided),
                ElementsAre("root@0: host0 host1", "host0@0: 0 host0-r1 3", "host0-r1@1: 1 2",
                            "host1@4: 4 host1-r5 7", "host1-r5@5: 5 6"));
    const auto many =
        make_tree({.shape = Shape::two_level, .procs = 8, .hosts = block_hosts(8, 4), .arity = 1});
    EXPECT_THAT(joins_of(many).front(), "root@0: host0 r2");
}

TEST(MakeTree, ThreeLevel) {
    EXPECT_THAT(joins_of(made(Shape::three_level, 8, 4)),
                ElementsAre("root@0: site0 site1", "site0@0: host0 host1", "host0@0: 0 1", "host1@2: 2 3",
                            "site1@4: host2 host3", "host2@4: 4 5", "host3@6: 6 7"));
    // A site of one host is that host.
    EXPECT_THAT(joins_of(made(Shape::three_level, 4, 2)),
                ElementsAre("root@0: site0 site1", "site0@0: 0 1", "site1@2: 2 3"));
    const auto three =
        make_tree({.shape = Shape::three_level, .procs = 5, .hosts = block_hosts(5, 5), .sites = 3});
    EXPECT_THAT(joins_of(three), ElementsAre("root@0: site0 site1 4", "site0@0: 0 1", "site1@2: 2 3"));
}

TEST(MakeTree, ByTopology) {
    // Two caches of two cores each, on two hosts.
    EXPECT_THAT(joins_of(made(Shape::topology, 8, 2)),
                ElementsAre("root@0: host0 host1", "host0@0: host0-l3-r0 host0-l3-r2", "host0-l3-r0@0: 0 1",
                            "host0-l3-r2@2: 2 3", "host1@4: host1-l3-r4 host1-l3-r6", "host1-l3-r4@4: 4 5",
                            "host1-l3-r6@6: 6 7"));
    // A cache that all ranks of a host share divides nothing.
    EXPECT_THAT(joins_of(made(Shape::topology, 2)), ElementsAre("root@0: 0 1"));
    EXPECT_THAT(joins_of(made(Shape::topology, 3)),
                ElementsAre("root@0: host0-l3-r0 2", "host0-l3-r0@0: 0 1"));
    // More ranks than cores: neighbours share one.
    EXPECT_THAT(
        joins_of(made(Shape::topology, 8)),
        ElementsAre("root@0: host0-l3-r0 host0-l3-r4", "host0-l3-r0@0: host0-core0 host0-core1",
                    "host0-core0@0: 0 1", "host0-core1@2: 2 3", "host0-l3-r4@4: host0-core2 host0-core3",
                    "host0-core2@4: 4 5", "host0-core3@6: 6 7"));
}

TEST(MakeTree, ByTopologyNestsWhatNests) {
    using machine::Sharing;
    // One socket with two NUMA nodes, each with two caches, of two cores each.
    const machine::Topology nested{
        .cores = 8,
        .groups = {{.what = Sharing::socket, .first_core = 0, .last_core = 7},
                   {.what = Sharing::numa_node, .first_core = 0, .last_core = 3},
                   {.what = Sharing::numa_node, .first_core = 4, .last_core = 7},
                   {.what = Sharing::cache, .cache_level = 2, .first_core = 0, .last_core = 1},
                   {.what = Sharing::cache, .cache_level = 2, .first_core = 2, .last_core = 3},
                   {.what = Sharing::cache, .cache_level = 2, .first_core = 4, .last_core = 5},
                   {.what = Sharing::cache, .cache_level = 2, .first_core = 6, .last_core = 7}}};
    EXPECT_THAT(
        joins_of(make_tree({.shape = Shape::topology, .procs = 8, .topology = nested})),
        ElementsAre("root@0: host0-numa-r0 host0-numa-r4", "host0-numa-r0@0: host0-l2-r0 host0-l2-r2",
                    "host0-l2-r0@0: 0 1", "host0-l2-r2@2: 2 3", "host0-numa-r4@4: host0-l2-r4 host0-l2-r6",
                    "host0-l2-r4@4: 4 5", "host0-l2-r6@6: 6 7"));
    EXPECT_THAT(joins_of(make_tree({.shape = Shape::topology, .procs = 4, .topology = {}})),
                ElementsAre("root@0: 0 1 2 3"))
        << "one core, which all share";
}

TEST(MakeTree, RefusesWhatAShapeDoesNotUse) {
    const auto refused = [](const Recipe& recipe) { return refusal_of([&] { make_tree(recipe); }); };
    EXPECT_EQ(refused({.shape = Shape::two_level, .procs = 4}),
              "a two-level tree needs to know the hosts; give their number (--hosts 2) or their ranks "
              "(--hosts a:4,b:4).");
    EXPECT_EQ(refused({.shape = Shape::binary, .procs = 4, .arity = 3}),
              "a binary tree has no arity to choose; omit --arity, or make a k-ary tree.");
    EXPECT_EQ(refused({.shape = Shape::flat, .procs = 4, .sites = 2}),
              "a flat tree has no sites; omit --sites, or make a three-level tree.");
    EXPECT_EQ(refused({.shape = Shape::three_level, .procs = 4, .hosts = block_hosts(4, 2), .sites = 3}),
              "3 sites for 2 hosts: every site needs a host; give 1 to 2 sites.");
    EXPECT_EQ(refused({.shape = Shape::two_level, .procs = 4, .hosts = {"a", "b", "a", "b"}}),
              "the ranks of host 'a' are 0,2, but the standard shapes take consecutive ranks; place ranks by "
              "block, or "
              "write the tree by hand.");
    EXPECT_EQ(refused({.shape = Shape::flat, .procs = 0}), "a tree has 1 to 1048576 ranks, not 0.");
    EXPECT_EQ(refused({.shape = Shape::flat, .procs = 1, .segment = Bytes{0}}),
              "a segment has at least 1 byte; without --segment, messages are not divided.");
}

TEST(Figures, SayWhatATreeIs) {
    auto tree = two_hosts();
    EXPECT_EQ(figures_text(tree, tree.hosts),
              "two hosts: 8 ranks on 2 hosts, 3 joins of up to 4 contributions, height 2\n"
              "edges: 1 message and 9 flag; ranks in order\n");
    tree.name.clear();
    tree.segment = Bytes{4'096};
    EXPECT_EQ(figures_text(tree, {}),
              "8 ranks, 3 joins of up to 4 contributions, height 2\n"
              "edges: 1 message and 9 flag; segments of 4 KiB; ranks in order\n");
    EXPECT_THAT(figures_text(even_and_odd(), {}), ::testing::HasSubstr("ranks interleave at join 'root'"));
}

}  // namespace
}  // namespace fathom::tree
