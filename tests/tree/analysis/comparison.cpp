#include "tree/analysis/comparison.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "stats/random.hpp"
#include "tree/analysis/paths.hpp"
#include "tree/analysis/synthetic_tree.hpp"

namespace fathom::tree {
namespace {

using analysis::Change;

const ComparedPart& part_of(const TreeComparison& comparison, ComparedKind kind,
                            const std::string& name = "") {
    return *std::ranges::find_if(comparison.parts,
                                 [&](const auto& part) { return part.kind == kind && part.name == name; });
}

/// 32 threads whose edges up take what `up` draws.
TracedCalls thirty_two(const NodeIndex& index, const std::function<double(int leaf, stats::Random&)>& up,
                       std::uint64_t seed) {
    stats::Random random(seed);
    return calls_in_a_row(
        index, 500,
        [&](std::size_t) {
            StageSettings set;
            set.gap = 0;
            for (int leaf = 0; leaf < index.leaves(); ++leaf) {
                set.other[{StageKind::edge_up, leaf}] = std::llround(std::max(1.0, up(leaf, random)));
            }
            return set;
        },
        [](int, std::size_t) { return 1'000; });
}

TEST(TreeComparison, SeesWhatMeansDoNot) {
    // The paper's example: the 12 slowest threads got faster, the other 20 slower, and with their variation
    // one of them is the slowest in most calls.
    const NodeIndex index(flat_tree(32));
    const auto before = thirty_two(
        index,
        [](int leaf, stats::Random& random) {
            return leaf < 12 ? 100'000 + 3'000 * random.normal() : 60'000 + 3'000 * random.normal();
        },
        1);
    const auto after = thirty_two(
        index,
        [](int leaf, stats::Random& random) {
            return leaf < 12 ? 95'000 + 3'000 * random.normal() : 85'000 + 15'000 * random.normal();
        },
        2);
    const StageTimes first(index, before);
    const StageTimes second(index, after);
    const auto comparison = compare_trees(first, second);
    EXPECT_EQ(comparison.paths_faster, 12U);
    EXPECT_EQ(comparison.paths_slower, 20U);
    EXPECT_EQ(part_of(comparison, ComparedKind::slowest_path).change, Change::slower);
    EXPECT_EQ(part_of(comparison, ComparedKind::tree).change, Change::slower);
    EXPECT_TRUE(comparison.means_mislead);
    EXPECT_FALSE(compare_trees(first, first).means_mislead);
}

TEST(TreeComparison, NamesWhatWasNotReconfiguredAndGotSlower) {
    // Host 1's join moves to another rank; host 0, which nobody touched, gets slower.
    const NodeIndex index(two_level_tree(2, 4));
    auto moved = index.tree();
    moved.joins[2].rank = 7;
    const NodeIndex other(moved);
    const auto calls_of = [](const NodeIndex& of, std::int64_t up, std::uint64_t seed) {
        stats::Random random(seed);
        return calls_in_a_row(
            of, 200,
            [&, up](std::size_t) {
                StageSettings set;
                for (Node node = 0; node < of.nodes(); ++node) {
                    set.other[{StageKind::edge_down, node}] = 1'000 + std::llround(10 * random.normal());
                }
                set.other[{StageKind::join_up, of.find("host0")}] = up + std::llround(random.normal());
                return set;
            },
            [](int, std::size_t) { return 1'000; });
    };
    const auto a = calls_of(index, 50, 1);
    const auto b = calls_of(other, 90, 2);
    const StageTimes first(index, a);
    const StageTimes second(other, b);
    const auto comparison = compare_trees(first, second);
    const auto& slower = part_of(comparison, ComparedKind::join_up, "host0");
    EXPECT_TRUE(slower.unchanged);
    EXPECT_EQ(slower.change, Change::slower);
    ASSERT_TRUE(slower.ratio);
    EXPECT_NEAR(*slower.ratio, 1.8, 0.05);
    EXPECT_FALSE(part_of(comparison, ComparedKind::edge, "5").unchanged) << "its join moved";
    EXPECT_TRUE(part_of(comparison, ComparedKind::edge, "1").unchanged);
    EXPECT_FALSE(part_of(comparison, ComparedKind::join_down, "root").unchanged)
        << "one of its edges is another";
    EXPECT_FALSE(part_of(comparison, ComparedKind::tree).unchanged);
    EXPECT_EQ(comparison.parts.front().kind, ComparedKind::tree);
}

TEST(TreeComparison, FindsNoChangeBetweenEqualTrees) {
    const NodeIndex index(binomial_tree());
    const auto calls_of = [&](std::uint64_t seed) {
        stats::Random random(seed);
        return calls_in_a_row(
            index, 300,
            [&](std::size_t) {
                StageSettings set;
                for (Node node = 0; node < index.nodes(); ++node) {
                    set.other[{StageKind::edge_down, node}] = 1'000 + std::llround(50 * random.normal());
                    set.other[{StageKind::edge_up, node}] = 1'000 + std::llround(50 * random.normal());
                }
                return set;
            },
            [&](int, std::size_t) { return 1'000 + std::llround(100 * random.uniform()); });
    };
    const auto a = calls_of(7);
    const auto b = calls_of(8);
    const StageTimes first(index, a);
    const StageTimes second(index, b);
    for (const auto& part : compare_trees(first, second).parts) {
        EXPECT_TRUE(part.unchanged);
        EXPECT_NE(part.change, Change::slower) << to_text(part.kind) << " " << part.name;
        EXPECT_NE(part.change, Change::faster) << to_text(part.kind) << " " << part.name;
    }
}

TEST(TreeComparison, TurnsRatiosIntoSpeedUps) {
    ComparedPart part{
        .ratio = 4, .ratio_ci95 = stats::Interval{.low = 2, .high = 5}, .change = Change::slower};
    const auto slower = speedup_of(part);
    ASSERT_TRUE(slower && slower->ci95);
    EXPECT_EQ(slower->factor, 4);
    EXPECT_EQ(slower->ci95->low, 2);
    part.change = Change::faster;
    part.ratio = 0.25;
    part.ratio_ci95 = {.low = 0.2, .high = 0.5};
    const auto faster = speedup_of(part);
    ASSERT_TRUE(faster && faster->ci95);
    EXPECT_EQ(faster->factor, 4);
    EXPECT_EQ(faster->ci95->low, 2);
    EXPECT_EQ(faster->ci95->high, 5);
    part.change = Change::same;
    EXPECT_FALSE(speedup_of(part));
}

TEST(TreeComparison, ListsJoinsThatOneTreeLacks) {
    const NodeIndex flat(flat_tree(8));
    const NodeIndex levels(two_level_tree(2, 4));
    const auto a = simultaneous_calls(flat, 20, {});
    const auto b = simultaneous_calls(levels, 20, {});
    const StageTimes first(flat, a);
    const StageTimes second(levels, b);
    const auto comparison = compare_trees(first, second);
    EXPECT_TRUE(comparison.only_first.empty());
    EXPECT_EQ(comparison.only_second, (std::vector<std::string>{"host0", "host1"}));
    EXPECT_TRUE(comparison.parts_of_first.empty());
    ASSERT_EQ(comparison.parts_of_second.size(), 8U) << "edge, down, up and departure wait of each";
    EXPECT_EQ(comparison.parts_of_second.front().kind, ComparedKind::edge);
    EXPECT_EQ(comparison.parts_of_second.front().name, "host0");
    EXPECT_EQ(comparison.parts_of_second.front().median_ns,
              static_cast<double>(*second.two_way(0, levels.find("host0"))));
    EXPECT_EQ(part_of(comparison, ComparedKind::tree).change, Change::slower);
    EXPECT_EQ(part_of(comparison, ComparedKind::store).change, Change::same);
}

}  // namespace
}  // namespace fathom::tree
