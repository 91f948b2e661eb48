#include "tree/analysis/outliers.hpp"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>

#include "stats/random.hpp"
#include "tree/analysis/synthetic_tree.hpp"

namespace fathom::tree {
namespace {

/// Calls of a flat tree of 4 with a little noise on all edges, in some of which rank 2's edge takes 54.2
/// times the usual.
TracedCalls with_outliers(const NodeIndex& index, std::size_t count,
                          const std::function<bool(std::size_t call)>& outlier, std::uint64_t seed = 3) {
    stats::Random random(seed);
    return calls_in_a_row(
        index, count,
        [&, outlier](std::size_t call) {
            StageSettings set;
            for (int leaf = 0; leaf < index.leaves(); ++leaf) {
                set.other[{StageKind::edge_down, leaf}] = 1'000 + std::llround(20 * random.uniform());
            }
            if (outlier(call)) {
                set.other[{StageKind::edge_down, 2}] = 54'742;
            }
            return set;
        },
        [&](int, std::size_t) { return 1'000 + std::llround(100 * random.uniform()); });
}

TEST(StageOutliers, SayHowManyTimesTheUsualTheyTake) {
    const NodeIndex index(flat_tree(4));
    const auto calls = with_outliers(index, 1'000, [](std::size_t call) { return call % 100 == 50; });
    const StageTimes times(index, calls);
    const auto found = stage_outliers(times, path_times(times), nullptr);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().stage, (Stage{StageKind::edge_down, 2}));
    EXPECT_EQ(found.front().outliers, 10U);
    EXPECT_EQ(found.front().calls, 1'000U);
    ASSERT_TRUE(found.front().times_usual);
    EXPECT_NEAR(*found.front().times_usual, 54.2, 0.3);
    EXPECT_NEAR(found.front().slowdown, 1 + 0.01 * 53.2, 0.01);
    EXPECT_NEAR(found.front().lost_ns, 537, 2);
    EXPECT_TRUE(found.front().causes.empty());
}

TEST(StageOutliers, NameWhatTheKernelCountedAtTheTime) {
    const NodeIndex index(flat_tree(4));
    const auto calls = with_outliers(index, 1'000, [](std::size_t call) { return call % 100 == 50; });
    const StageTimes times(index, calls);
    analysis::Evidence evidence;
    evidence.counted = true;
    for (std::size_t call = 0; call < calls.calls.size(); ++call) {
        const auto span = *times.span(call, {StageKind::edge_down, 2});
        // Rank 2 was preempted in every outlier and in some other calls; rank 1, which is elsewhere, always.
        const bool preempted = call % 100 == 50 || call % 37 == 0;
        for (const int rank : {1, 2}) {
            if (rank == 1 || preempted) {
                evidence.windows.push_back(
                    {.rank = rank,
                     .when = {.start = 0, .begin = {span.from_ns}, .end = {span.to_ns}},
                     .counts = {.preempted = 1}});
            }
        }
    }
    const auto found = stage_outliers(times, path_times(times), &evidence);
    ASSERT_EQ(found.size(), 1U);
    ASSERT_EQ(found.front().causes.size(), 1U);
    EXPECT_EQ(found.front().causes.front().kind, CountedKind::preempted);
    EXPECT_EQ(found.front().causes.front().outliers, 10U);
    EXPECT_NEAR(found.front().causes.front().usual_share, 1.0 / 37, 0.005);
}

TEST(StageOutliers, BlameNothingThatWasCountedAsOftenOtherwise) {
    const NodeIndex index(flat_tree(4));
    const auto calls = with_outliers(index, 1'000, [](std::size_t call) { return call % 100 == 50; });
    const StageTimes times(index, calls);
    analysis::Evidence evidence;
    evidence.counted = true;
    evidence.windows.push_back(
        {.rank = 2, .when = {.start = 0, .begin = {0}, .end = {INT64_MAX}}, .counts = {.preempted = 9}});
    EXPECT_TRUE(stage_outliers(times, path_times(times), &evidence).front().causes.empty());
}

TEST(StageOutliers, AreNoneWhereStagesVaryAsUsual) {
    const NodeIndex index(flat_tree(4));
    const auto calls = with_outliers(index, 1'000, [](std::size_t) { return false; });
    const StageTimes times(index, calls);
    EXPECT_TRUE(stage_outliers(times, path_times(times), nullptr).empty());
}

TEST(PeriodicDisturbances, AreNamedWithTheirPeriod) {
    const NodeIndex index(flat_tree(4));
    const auto calls = with_outliers(index, 5'000, [](std::size_t call) { return call % 97 == 5; });
    const StageTimes times(index, calls);
    const auto found = periodic_disturbances(times, path_times(times));
    ASSERT_FALSE(found.empty());
    EXPECT_TRUE(std::ranges::any_of(found, [](const auto& one) { return one.rank == 2; }));
    const auto root = [&](std::size_t call) {
        return static_cast<double>(calls.at(call, index.root(), End::own).up_ns);
    };
    const double period = (root(97 * 50 + 5) - root(5)) / 50;
    EXPECT_NEAR(found.front().period.length, period, period / 50);
}

TEST(PeriodicDisturbances, AreNotSeenInRandomOnes) {
    const NodeIndex index(flat_tree(4));
    int named = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        stats::Random random(seed + 1'000);
        std::vector<bool> slow(2'000);
        for (std::size_t call = 0; call < slow.size(); ++call) {
            slow[call] = random.uniform() < 0.02;
        }
        const auto calls = with_outliers(
            index, slow.size(), [&](std::size_t call) { return slow[call]; }, seed);
        const StageTimes times(index, calls);
        named += periodic_disturbances(times, path_times(times)).empty() ? 0 : 1;
    }
    EXPECT_EQ(named, 0) << "the rate of false alarms is 0.1 % each";
}

}  // namespace
}  // namespace fathom::tree
