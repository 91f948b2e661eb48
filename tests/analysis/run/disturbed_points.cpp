#include <algorithm>
#include <optional>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/run/run_result.hpp"
#include "analysis/stored_runs.hpp"

namespace fathom::analysis {
namespace {

using testing::StoredLaunch;
using testing::StoredRuns;
using testing::times_around;

/// Runs of one point, of whose 41 repetitions the first ones were disturbed.
class DisturbedPoint : public ::testing::Test {
  protected:
    [[nodiscard]] PointResult point_of(std::int64_t run) const {
        return evaluate(runs.store, runs.row(run)).points.front();
    }
    [[nodiscard]] PointResult point_with(std::size_t disturbed, const std::string& plan_toml = "",
                                         std::size_t launches = 1) {
        const StoredLaunch launch{.times_ns = times_around(10'000), .disturbed = disturbed};
        return point_of(runs.add({std::vector<StoredLaunch>(launches, launch)}, plan_toml));
    }

    StoredRuns runs;
};

TEST_F(DisturbedPoint, IsTrustedWhereEnoughRepetitionsAreLeft) {
    const auto point = point_with(21);
    EXPECT_EQ(point.set_aside, 21);
    EXPECT_EQ(point.touched, 0);
    EXPECT_TRUE(point.trusted());
    EXPECT_FALSE(point_with(22).trusted()) << "19 are too few";
}

TEST_F(DisturbedPoint, IsNotTrustedWhereNothingIsSetAsideAndHalfOfItWasDisturbed) {
    for (const auto* plan : {"reps = 41\n", "stop = 'fixed'\n", "scheme = 'as-osu'\n"}) {
        const auto less = point_with(20, plan);
        EXPECT_EQ(less.set_aside, 0) << plan;
        EXPECT_EQ(less.touched, 20) << plan;
        EXPECT_TRUE(less.trusted()) << plan;
        EXPECT_EQ(point_with(21, plan).quality, Quality::disturbed) << plan;
        EXPECT_EQ(point_with(41, plan).quality, Quality::disturbed) << plan;
    }
    EXPECT_TRUE(point_with(20, "reps = 41\n", 3).trusted());
    const auto launches = point_with(21, "reps = 41\n", 3);
    EXPECT_EQ(launches.touched, 63);
    EXPECT_EQ(launches.quality, Quality::disturbed);
}

/// A curve of ten sizes that takes twice as long from 512 B on, with the point of one size disturbed.
RunResult located(StoredRuns& runs, std::optional<std::size_t> disturbed) {
    std::vector<std::vector<StoredLaunch>> points;
    for (std::size_t i = 0; i < 10; ++i) {
        const bool preempted = disturbed == i;
        points.push_back({{.times_ns = times_around(i < 6 ? 10'000 : 20'000),
                           .disturbed = preempted ? std::size_t{41} : 0}});
    }
    return evaluate(runs.store, runs.row(runs.add(points, "locate_switches = true\n")));
}

TEST(SwitchBesideADisturbedPoint, IsLeftOutAndCounted) {
    StoredRuns runs;
    const auto all = located(runs, std::nullopt);
    ASSERT_EQ(all.switches.size(), 1U);
    EXPECT_EQ(all.switches[0].found.last_below, 256);
    EXPECT_EQ(all.switches[0].found.first_above, 512);
    EXPECT_EQ(all.switches_left_out, 0U);
    for (const auto beside : {std::size_t{5}, std::size_t{6}}) {
        const auto result = located(runs, beside);
        EXPECT_TRUE(result.switches.empty()) << beside;
        EXPECT_EQ(result.switches_left_out, 1U) << beside;
    }
    EXPECT_EQ(located(runs, 2).switches.size(), 1U) << "which has nothing to do with it";
}

TEST_F(DisturbedPoint, HasTailsOfTheRepetitionsThatCountBesideThoseOfAll) {
    auto times = times_around(10'000, 1'001);
    std::fill_n(times.begin(), 40, 4'000'000);
    const auto run = runs.add({{{.times_ns = times, .disturbed = 40}}});
    const auto result = evaluate(runs.store, runs.row(run), {}, {.analyses = true});
    const auto& analyses = result.points.front().analyses;
    EXPECT_EQ(analyses.tails.count, 1'001U);
    ASSERT_TRUE(analyses.counted);
    EXPECT_EQ(analyses.counted->tails.count, 961U);
    for (const auto& insight : result.insights) {
        EXPECT_FALSE(std::holds_alternative<LongTail>(insight.facts));
        EXPECT_FALSE(std::holds_alternative<TwoModes>(insight.facts));
    }
    const auto all = runs.add({{{.times_ns = times}}});
    EXPECT_FALSE(evaluate(runs.store, runs.row(all), {}, {.analyses = true}).points.front().analyses.counted);
}

}  // namespace
}  // namespace fathom::analysis
