#include "tree/analysis/load_balance.hpp"

#include <cmath>
#include <map>

#include <gmock/gmock.h>

#include "stats/random.hpp"
#include "tree/analysis/advice.hpp"
#include "tree/analysis/synthetic_tree.hpp"

namespace fathom::tree {
namespace {

constexpr int seeds = 100;

/// A program of some ranks that calls a tree again and again.
struct Program {
    Tree tree;
    std::size_t calls = 400;
    double work_ns = 20'000;     ///< between calls
    double noise_ns = 1'000;     ///< deviation of that
    double correlation = 0;      ///< with the call before, on each rank
    double edge_noise_ns = 100;  ///< deviation of each edge
    int delayed = -1;            ///< rank
    double delay_ns = 0;         ///< by
    int every = 1;               ///< in one of this many calls
    double leaf_noise_ns = 0;    ///< more noise of the last rank's edges
};

LoadBalance balance_of(const Program& program, std::uint64_t seed) {
    const NodeIndex index(program.tree);
    stats::Random random(seed);
    std::vector<double> levels(static_cast<std::size_t>(index.leaves()), 0);
    for (auto& level : levels) {
        level = random.normal();
    }
    const auto settings = [&](std::size_t) {
        StageSettings set;
        for (Node node = 0; node < index.nodes(); ++node) {
            for (const auto kind : {StageKind::edge_down, StageKind::edge_up}) {
                const double more =
                    node == index.leaves() - 1 ? program.leaf_noise_ns * std::abs(random.normal()) : 0;
                set.other[{kind, node}] =
                    1'000 + std::llround(program.edge_noise_ns * std::abs(random.normal()) + more);
            }
        }
        return set;
    };
    const auto pause = [&](int leaf, std::size_t call) -> std::int64_t {
        auto& level = levels[static_cast<std::size_t>(leaf)];
        level = program.correlation * level +
                std::sqrt(1 - program.correlation * program.correlation) * random.normal();
        const bool delayed = leaf == program.delayed && call % static_cast<std::size_t>(program.every) == 0;
        return std::llround(std::max(0.0, program.work_ns + program.noise_ns * level) +
                            (delayed ? program.delay_ns : 0));
    };
    const auto calls = calls_in_a_row(index, program.calls, settings, pause);
    const StageTimes times(index, calls);
    return *load_balance_of(times, path_times(times), joins_of(times));
}

int runs_with_names(const Program& program) {
    int named = 0;
    for (int seed = 0; seed < seeds; ++seed) {
        named += balance_of(program, static_cast<std::uint64_t>(seed)).late.empty() ? 0 : 1;
    }
    return named;
}

/// Runs in which this rank and nobody else is named.
int runs_that_name(const Program& program, int leaf) {
    int right = 0;
    for (int seed = 0; seed < seeds; ++seed) {
        const auto balance = balance_of(program, static_cast<std::uint64_t>(seed));
        right += balance.late.size() == 1 && balance.late.front().leaf == leaf ? 1 : 0;
    }
    return right;
}

TEST(LoadBalance, NamesNobodyIn100Of100RunsWithoutADelayedRank) {
    EXPECT_EQ(runs_with_names({.tree = flat_tree(8)}), 0);
    EXPECT_EQ(runs_with_names({.tree = binomial_tree()}), 0);
    EXPECT_EQ(runs_with_names({.tree = flat_tree(2)}), 0);
    EXPECT_EQ(runs_with_names({.tree = two_level_tree(4, 4), .calls = 200}), 0);
}

TEST(LoadBalance, NamesNobodyWhereNoiseIsLargerThanWhatTheTreeCosts) {
    EXPECT_EQ(runs_with_names({.tree = flat_tree(8), .noise_ns = 10'000}), 0);
    EXPECT_EQ(runs_with_names({.tree = flat_tree(3), .noise_ns = 10'000}), 0);
}

TEST(LoadBalance, NamesNobodyWhereRanksAreSlowForAWhileEach) {
    EXPECT_EQ(runs_with_names({.tree = flat_tree(8), .noise_ns = 5'000, .correlation = 0.9}), 0);
    EXPECT_EQ(runs_with_names({.tree = flat_tree(4), .noise_ns = 5'000, .correlation = 0.98}), 0);
}

TEST(LoadBalance, NamesNobodyWhereTheTreeLetsFarLeavesGoLast) {
    // In a chain the deepest leaves always leave last and therefore enter last, far behind the first.
    EXPECT_EQ(runs_with_names({.tree = chain_tree(8), .noise_ns = 200}), 0);
    EXPECT_EQ(runs_with_names({.tree = chain_tree(8), .noise_ns = 0, .edge_noise_ns = 0}), 0);
    EXPECT_EQ(runs_with_names({.tree = flat_tree(8), .noise_ns = 200, .leaf_noise_ns = 400}), 0);
}

TEST(LoadBalance, NamesNobodyForATinyMarginHoweverReliable) {
    EXPECT_EQ(runs_with_names({.tree = flat_tree(8), .noise_ns = 10, .delayed = 7, .delay_ns = 100}), 0)
        << "100 ns of 2.5 us";
}

TEST(LoadBalance, NamesADelayedRankIn100Of100Runs) {
    EXPECT_EQ(runs_that_name({.tree = flat_tree(8), .delayed = 3, .delay_ns = 5'000}, 3), seeds);
    EXPECT_EQ(runs_that_name({.tree = binomial_tree(), .delayed = 5, .delay_ns = 5'000}, 5), seeds);
    EXPECT_EQ(runs_that_name({.tree = chain_tree(8), .delayed = 0, .delay_ns = 30'000}, 0), seeds);
    EXPECT_EQ(
        runs_that_name({.tree = two_level_tree(4, 4), .calls = 200, .delayed = 15, .delay_ns = 5'000}, 15),
        seeds);
    EXPECT_EQ(runs_that_name({.tree = flat_tree(2), .delayed = 1, .delay_ns = 5'000}, 1), seeds);
}

TEST(LoadBalance, NamesARankThatIsDelayedNowAndThen) {
    EXPECT_EQ(runs_that_name(
                  {.tree = flat_tree(8), .calls = 1'000, .delayed = 6, .delay_ns = 20'000, .every = 2}, 6),
              seeds);
}

TEST(LoadBalance, NamesADelayedRankAmidSlowNoise) {
    EXPECT_EQ(
        runs_that_name(
            {.tree = flat_tree(8), .noise_ns = 2'000, .correlation = 0.9, .delayed = 2, .delay_ns = 15'000},
            2),
        seeds);
}

TEST(LoadBalance, KeepsTheProgramApartFromTheTree) {
    const auto even = balance_of({.tree = chain_tree(8), .noise_ns = 0, .edge_noise_ns = 0}, 1);
    ASSERT_TRUE(even.entry_spread && even.program_wait);
    EXPECT_GT(even.entry_spread->median_ns, 1'000) << "leaves leave the chain one after the other";
    EXPECT_EQ(even.program_wait->median_ns, 0) << "which is not the program's doing";
    EXPECT_LT(even.program_share, 0.01);
    const auto uneven = balance_of(
        {.tree = flat_tree(8), .noise_ns = 0, .edge_noise_ns = 0, .delayed = 7, .delay_ns = 50'000}, 1);
    EXPECT_NEAR(uneven.program_wait->median_ns, 50'000, 200);
    EXPECT_GT(uneven.program_share, 0.9);
    ASSERT_TRUE(uneven.fastest_factor);
    EXPECT_LT(*uneven.fastest_factor, 1.1);
    ASSERT_EQ(uneven.late.size(), 1U);
    EXPECT_GT(uneven.late.front().share, 0.99);
    EXPECT_NEAR(uneven.late.front().late_ns, 50'000, 200);
    EXPECT_DOUBLE_EQ(uneven.late.front().rate, 1);
}

/// Calls in which these leaves enter this much later than the others.
LoadBalance with_late_leaves(const Tree& tree, const std::map<int, std::int64_t>& late,
                             std::int64_t bound_ns = 0) {
    const NodeIndex index(tree);
    TracedCalls calls;
    stats::Random random(5);
    for (std::size_t call = 0; call < 100; ++call) {
        std::vector<std::int64_t> entries;
        for (int leaf = 0; leaf < index.leaves(); ++leaf) {
            const auto found = late.find(leaf);
            entries.push_back(static_cast<std::int64_t>(call) * 1'000'000 +
                              (found == late.end() ? 0 : found->second) +
                              std::llround(100 * random.uniform()));
        }
        calls.calls.push_back({.launch = 0,
                               .number = static_cast<std::uint32_t>(call),
                               .passages = passages_of_call(index, {}, entries)});
    }
    for (int rank = 0; rank < index.leaves(); ++rank) {
        calls.clock_bounds[rank] = {bound_ns};
    }
    const StageTimes times(index, calls);
    return *load_balance_of(times, path_times(times), joins_of(times));
}

TEST(LoadBalance, NamesTheSubtreeIfAllOfItIsLate) {
    const NodeIndex index(two_level_tree(4, 3));
    const auto balance = with_late_leaves(index.tree(), {{6, 20'000}, {7, 20'000}, {8, 20'000}});
    EXPECT_EQ(balance.late.size(), 3U);
    EXPECT_THAT(balance.late_subtrees, ::testing::ElementsAre(index.find("host2")));
}

TEST(LoadBalance, SaysWhoIsFollowed) {
    // As in SOR: rank 6 gets its last row from rank 7, which has more work, and enters just behind it.
    const auto balance = with_late_leaves(flat_tree(8), {{7, 20'000}, {6, 20'500}});
    ASSERT_EQ(balance.late.size(), 2U);
    EXPECT_EQ(balance.late[0].leaf, 7);
    EXPECT_FALSE(balance.late[0].follows);
    EXPECT_EQ(balance.late[1].leaf, 6);
    EXPECT_EQ(balance.late[1].follows, 7);
}

TEST(LoadBalance, SaysThatWhoIsLessLateFollowsWhoIsMoreLateEvenIfItEntersFirst) {
    // As in SOR: rank 5 is delayed by rank 6 once, rank 6 by rank 7 twice.
    const auto balance = with_late_leaves(flat_tree(8), {{7, 20'000}, {6, 20'500}, {5, 10'800}});
    ASSERT_EQ(balance.late.size(), 3U);
    EXPECT_EQ(balance.late[0].leaf, 7);
    EXPECT_FALSE(balance.late[0].follows);
    for (const std::size_t follower : {1U, 2U}) {
        EXPECT_EQ(balance.late[follower].follows, 7) << balance.late[follower].leaf;
    }
}

TEST(LoadBalance, DoesNotExcuseALeafByADepartureThatDoesNotLast) {
    // Ranks meet between calls: who leaves a call last does not therefore enter the next one last.
    const auto balance = with_late_leaves(chain_tree(8), {{7, 3'000}});
    ASSERT_EQ(balance.late.size(), 1U);
    EXPECT_EQ(balance.late[0].leaf, 7);
    EXPECT_NEAR(balance.late[0].late_ns, 3'000, 100);
    ASSERT_TRUE(balance.program_wait);
    EXPECT_NEAR(balance.program_wait->median_ns, 3'000, 100);
    EXPECT_TRUE(with_late_leaves(chain_tree(8), {}).late.empty());
}

TEST(LoadBalance, NamesNobodyWithinWhatClocksKnow) {
    EXPECT_EQ(with_late_leaves(flat_tree(4), {{2, 5'000}}).late.size(), 1U);
    EXPECT_TRUE(with_late_leaves(flat_tree(4), {{2, 5'000}}, 3'000).late.empty());
}

TEST(LoadBalance, FollowsTheMostLastArrivalsFromTheRoot) {
    const NodeIndex index(two_level_tree(2, 3));
    const auto balance = with_late_leaves(index.tree(), {{4, 20'000}});
    EXPECT_THAT(balance.heaviest.nodes, ::testing::ElementsAre(index.find("host1"), 4));
    EXPECT_THAT(balance.heaviest.weights, ::testing::ElementsAre(100, 100));
}

TEST(Advice, SaysThatTuningATreeDoesNotHelpWhereTheProgramIsUneven) {
    const NodeIndex index(flat_tree(8));
    const auto calls = calls_in_a_row(
        index, 200, [](std::size_t) { return StageSettings{}; },
        [](int leaf, std::size_t) { return leaf == 7 ? 40'000 : 10'000; });
    const StageTimes times(index, calls);
    const auto paths = path_times(times);
    const auto advice = advice_of(times, critical_paths(times, paths),
                                  load_balance_of(times, paths, joins_of(times)), {}, {});
    ASSERT_GE(advice.size(), 2U);
    EXPECT_EQ(advice[0].kind, AdviceKind::program_imbalance);
    EXPECT_GT(advice[0].share, 0.9);
    EXPECT_EQ(advice[1].kind, AdviceKind::late_leaf);
    EXPECT_EQ(advice[1].node, 7);
}

/// Ranks that take `work_ns` between calls, of which they compute these shares of the whole time.
TracedCalls with_computing(const NodeIndex& index, const std::map<int, double>& shares, std::int64_t work_ns,
                           std::int64_t more_of_rank_0 = 0) {
    auto calls = calls_in_a_row(
        index, 200, [](std::size_t) { return StageSettings{}; },
        [&](int leaf, std::size_t) { return work_ns + (leaf == 0 ? more_of_rank_0 : 0); });
    calls.computing = shares;
    return calls;
}

TEST(LoadBalance, CountsWorkThatOthersWaitForInMessagesOfTheirOwn) {
    // As in SOR with two ranks: both enter calls together, however long one of them computes.
    const NodeIndex index(flat_tree(4));
    const auto calls = with_computing(index, {{0, 0.2}, {1, 0.2}, {2, 0.2}, {3, 0.8}}, 20'000);
    const StageTimes times(index, calls);
    const auto paths = path_times(times);
    const auto balance = load_balance_of(times, paths, joins_of(times));
    ASSERT_TRUE(balance && balance->busiest);
    EXPECT_TRUE(balance->late.empty());
    constexpr double between = 22'500;  // 20,000 of work, the rest in the tree
    EXPECT_EQ(balance->busiest->leaf, 3);
    EXPECT_NEAR(balance->busiest->times_middle, 4, 1e-9);
    EXPECT_NEAR(balance->busiest->more_ns, 0.6 * between, 0.01 * between);
    EXPECT_NEAR(balance->busiest->saved_ns, 0.45 * between, 0.01 * between);
    EXPECT_EQ(balance->imbalance_ns, balance->busiest->saved_ns);
    const auto advice = advice_of(times, critical_paths(times, paths), balance, {}, {});
    ASSERT_EQ(advice.size(), 2U);
    EXPECT_EQ(advice[0].kind, AdviceKind::program_imbalance);
    EXPECT_EQ(advice[1].kind, AdviceKind::late_leaf);
    EXPECT_EQ(advice[1].node, 3);
}

TEST(LoadBalance, NobodyWaitsForALeafLongerThanItsWorkExplains) {
    const NodeIndex index(flat_tree(4));
    const auto late_of = [&](double computing) {
        const auto calls =
            with_computing(index, {{0, 0.01}, {1, 0.01}, {2, 0.01}, {3, computing}}, 20'000, 10'000);
        const StageTimes times(index, calls);
        return load_balance_of(times, path_times(times), joins_of(times))->late;
    };
    const auto by_itself = late_of(0.02);
    ASSERT_EQ(by_itself.size(), 1U);
    EXPECT_EQ(by_itself.front().leaf, 0);
    EXPECT_EQ(by_itself.front().follows, std::nullopt);
    const auto behind = late_of(0.5);
    ASSERT_EQ(behind.size(), 1U);
    EXPECT_EQ(behind.front().follows, 3);
}

/// What is advised on a flat tree of 8 whose stages take this.
std::vector<AdviceKind> advised_on(const StageSettings& set) {
    const NodeIndex index(flat_tree(8));
    const auto calls = simultaneous_calls(index, 50, set);
    const StageTimes times(index, calls);
    const auto paths = path_times(times);
    std::vector<AdviceKind> kinds;
    for (const auto& advice : advice_of(times, critical_paths(times, paths),
                                        load_balance_of(times, paths, joins_of(times)), {}, {})) {
        kinds.push_back(advice.kind);
    }
    return kinds;
}

TEST(Advice, FollowsTheRulesOfThePaper) {
    using ::testing::ElementsAre;
    EXPECT_THAT(advised_on({}), ElementsAre(AdviceKind::edges_dominate));
    EXPECT_THAT(advised_on({.join_down = 50'000}), ElementsAre(AdviceKind::join_computes));
    EXPECT_THAT(advised_on({.join_up = 50'000}), ElementsAre(AdviceKind::join_wakes_slowly));
    EXPECT_THAT(advised_on({.gap = 10'000}), ElementsAre(AdviceKind::serialised_wake_up));
}

TEST(LoadBalance, CountsTheComputingOfAllLaunches) {
    const NodeIndex index(flat_tree(2));
    CallGatherer gatherer(index);
    gatherer.add_computing(0, 10, 100);
    gatherer.add_computing(1, 50, 100);
    gatherer.add_computing(0, 90, 300);
    const auto shares = gatherer.take().computing;
    EXPECT_DOUBLE_EQ(shares.at(0), 0.25);
    EXPECT_DOUBLE_EQ(shares.at(1), 0.5);
}

}  // namespace
}  // namespace fathom::tree
