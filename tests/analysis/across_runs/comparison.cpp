#include "analysis/across_runs/comparison.hpp"

#include <gtest/gtest.h>

#include "analysis/synthetic_run.hpp"
#include "base/error.hpp"
#include "stats/comparison/bootstrap.hpp"

namespace fathom::analysis {
namespace {

using testing::add_point;
using testing::key_at;
using testing::run_called;
using testing::SyntheticTimes;

std::vector<double> some_times(double median_ns, std::uint64_t seed, std::size_t count = 400) {
    stats::Random random(seed);
    const testing::TimesModel model{
        .median_ns = median_ns, .spread = 0.05, .correlation = 0, .slow_share = 0};
    return SyntheticTimes(model, random).take(count);
}

MeasuredRun run_of(const std::string& name, double median_ns, std::uint64_t seed, int procs = 4) {
    auto run = run_called(name);
    add_point(run, key_at(8, "bcast", procs), {some_times(median_ns, seed)});
    return run;
}

TEST(Comparison, CallsAPointSlowerThatSurelyIs) {
    const auto found = compare(run_of("run 1", 1'000, 1), run_of("run 2", 1'200, 2), {});
    ASSERT_EQ(found.points.size(), 1U);
    const auto& point = found.points.front();
    EXPECT_EQ(point.verdict, analysis::Change::slower);
    EXPECT_TRUE(point.beyond_limit);
    EXPECT_NEAR(point.ratio, 1.2, 0.02);
    EXPECT_LT(point.ratio_ci95.low, point.ratio);
    EXPECT_GT(point.ratio_ci95.low, 1.1);
    EXPECT_EQ(found.beyond_limit(), 1U);
    EXPECT_EQ(found.scatter.source, analysis::ScatterSource::assumed)
        << "one point does not show how launches differ";
    const auto back = compare(run_of("run 2", 1'200, 2), run_of("run 1", 1'000, 1), {});
    EXPECT_EQ(back.points.front().verdict, analysis::Change::faster);
    EXPECT_FALSE(back.points.front().beyond_limit);
}

/// One point of two runs: so many launches of each, with so many disturbed repetitions besides the 400.
struct DisturbedSetup {
    double ratio = 1;
    std::size_t first = 0;
    std::size_t second = 0;
    std::size_t launches = 1;
};

Comparison compared(const DisturbedSetup& setup) {
    const auto run = [&](const char* name, double median_ns, std::uint64_t seed, std::size_t disturbed) {
        auto made = run_called(name);
        testing::Launches launches;
        for (std::size_t i = 0; i < setup.launches; ++i) {
            launches.push_back(some_times(median_ns, seed + i));
        }
        add_point(made, key_at(8), std::move(launches), disturbed);
        return made;
    };
    return compare(run("run 1", 1'000, 1, setup.first), run("run 2", 1'000 * setup.ratio, 11, setup.second),
                   {});
}

TEST(Comparison, FindsAChangeThatDisturbedRepetitionsCannotHaveMade) {
    for (const auto& setup : {DisturbedSetup{.ratio = 1.33, .second = 40},
                              {.ratio = 1.33, .first = 40},
                              {.ratio = 1.33, .first = 100, .second = 100}}) {
        const auto found = compared(setup);
        const auto& point = found.points.front();
        EXPECT_EQ(point.verdict, Change::slower);
        EXPECT_TRUE(point.beyond_limit);
        EXPECT_EQ(point.first_disturbed_reps, setup.first);
        EXPECT_EQ(point.second_disturbed_reps, setup.second);
        EXPECT_EQ(found.disturbed(), 1U);
    }
    EXPECT_EQ(compared({.ratio = 1 / 1.33, .first = 40}).points.front().verdict, Change::faster);
}

TEST(Comparison, WidensTheIntervalByWhatDisturbedRepetitionsMayHide) {
    const auto quiet = compared({.ratio = 1.33}).points.front();
    EXPECT_DOUBLE_EQ(quiet.ratio_range.low, quiet.ratio);
    EXPECT_DOUBLE_EQ(quiet.ratio_range.high, quiet.ratio);
    // 100 of 500 put below or above: the quantiles 0.375 and 0.625 of the others, 0.32 deviations of 5 %.
    const auto second = compared({.ratio = 1.33, .second = 100}).points.front();
    EXPECT_NEAR(std::log(second.ratio_range.high / second.ratio_range.low), 2 * 0.3186 * 0.05, 0.006);
    EXPECT_NEAR(second.ratio_ci95.low / quiet.ratio_ci95.low, second.ratio_range.low / second.ratio, 1e-9);
    EXPECT_NEAR(second.ratio_ci95.high / quiet.ratio_ci95.high, second.ratio_range.high / second.ratio, 1e-9);
    const auto first = compared({.ratio = 1.33, .first = 100}).points.front();
    EXPECT_LT(first.ratio_range.low, first.ratio);
    EXPECT_NEAR(first.ratio_ci95.low / quiet.ratio_ci95.low, first.ratio_range.low / first.ratio, 1e-9);
}

TEST(Comparison, DoesNotCountWhatBothRunsLoseAlike) {
    const auto both = compared({.ratio = 1.33, .first = 100, .second = 100}).points.front();
    EXPECT_DOUBLE_EQ(both.ratio_range.low, both.ratio);
    EXPECT_DOUBLE_EQ(both.ratio_range.high, both.ratio);
    // Of 500, 100 are a fifth, and of 800, 400 a half: three tenths more, 240 of 640 that may be anything.
    const auto more = compared({.ratio = 1.33, .first = 100, .second = 401}).points.front();
    EXPECT_FALSE(stats::is_open(more.ratio_range));
    // The quantiles 0.2 and 0.8 of the others, 0.84 deviations of 5 % to both sides.
    EXPECT_NEAR(std::log(more.ratio_range.high / more.ratio_range.low), 2 * 0.8416 * 0.05, 0.012);
    const auto mostly = compared({.ratio = 1.33, .first = 1'500, .second = 1'500}).points.front();
    EXPECT_EQ(mostly.verdict, Change::slower) << "the fifth that is left tells enough";
}

TEST(Comparison, IsUndecidedWhereDisturbedRepetitionsMayHaveMadeTheChange) {
    // With 300 of 700 set aside the median may lie 1.15 deviations off, 6 %.
    for (const auto& setup : {DisturbedSetup{.ratio = 1.06, .second = 300},
                              {.ratio = 1.06, .first = 300},
                              {.ratio = 1 / 1.06, .second = 300}}) {
        const auto found = compared(setup);
        EXPECT_EQ(found.points.front().verdict, Change::undecided) << setup.ratio;
        EXPECT_EQ(found.points.front().doubt, Doubt::disturbed);
        EXPECT_FALSE(found.points.front().beyond_limit);
    }
    EXPECT_EQ(compared({.second = 300}).points.front().doubt, Doubt::disturbed)
        << "they may hide a change as well";
}

TEST(Comparison, IsUndecidedWhereTheLimitMayBeExceededByDisturbedRepetitionsAlone) {
    const auto found = compared({.ratio = 1.07, .second = 150}).points.front();
    EXPECT_GT(found.ratio_range.low, 1) << "slower it is";
    EXPECT_LT(found.ratio_range.low, 1.05);
    EXPECT_EQ(found.verdict, Change::undecided);
    EXPECT_EQ(found.doubt, Doubt::disturbed);
}

TEST(Comparison, KnowsNothingOfARunWhoseRepetitionsWereMostlyDisturbed) {
    for (const auto& setup : {DisturbedSetup{.ratio = 3, .second = 400},
                              {.ratio = 3, .first = 400},
                              {.ratio = 1, .second = 400},
                              {.ratio = 3, .second = 400, .launches = 5}}) {
        const auto point = compared(setup).points.front();
        EXPECT_TRUE(stats::is_open(point.ratio_range));
        EXPECT_EQ(point.verdict, Change::undecided) << "every time may contain a preemption";
        EXPECT_EQ(point.doubt, Doubt::disturbed);
        EXPECT_LT(point.ratio_ci95.high, 4) << "of the times at hand";
    }
}

TEST(Comparison, ALaunchThatWasWhollyDisturbedIsOutvotedByTheOthers) {
    const auto run = [](const char* name, double median_ns, std::uint64_t seed) {
        auto made = run_called(name);
        testing::Launches launches;
        for (std::uint64_t i = 0; i < 5; ++i) {
            launches.push_back(some_times(median_ns, seed + i));
        }
        add_point(made, key_at(8), std::move(launches));
        return made;
    };
    auto second = run("run 2", 1'330, 11);
    auto& launches = second.times.at(key_at(8));
    launches[3].disturbed = 400;
    launches[3].sound = false;
    const auto one = compare(run("run 1", 1'000, 1), second, {}).points.front();
    EXPECT_EQ(one.verdict, Change::slower);
    EXPECT_LT(one.ratio_range.low, one.ratio);
    EXPECT_GT(one.ratio_range.low, 1.3) << "the next of the launches' medians";
    for (auto& launch : launches) {
        launch.disturbed = 400;
        launch.sound = false;
    }
    launches[3].disturbed = 0;
    launches[3].sound = true;
    EXPECT_EQ(compare(run("run 1", 1'000, 1), second, {}).points.front().verdict, Change::undecided)
        << "but not the other way round";
}

TEST(Comparison, ALimitThatIsNotExceededDoesNotFail) {
    const auto found = compare(run_of("run 1", 1'000, 1), run_of("run 2", 1'200, 2), {.limit = 0.5});
    EXPECT_EQ(found.points.front().verdict, analysis::Change::slower);
    EXPECT_FALSE(found.points.front().beyond_limit);
}

TEST(Comparison, FailsOnlyIfTheWholeIntervalExceedsTheLimit) {
    const auto found = compare(run_of("run 1", 1'000, 1), run_of("run 2", 1'200, 2), {.limit = 0.19});
    const auto& point = found.points.front();
    ASSERT_GT(point.ratio, 1.19);
    ASSERT_LT(point.ratio_ci95.low, 1.19);
    EXPECT_EQ(point.verdict, Change::slower);
    EXPECT_EQ(point.doubt, Doubt::near_limit);
    EXPECT_FALSE(point.beyond_limit);
    EXPECT_EQ(found.gate(), Gate::undecided) << "more launches decide it";
}

TEST(Comparison, CallsEqualPointsTheSame) {
    const auto found = compare(run_of("run 1", 1'000, 1), run_of("run 2", 1'000, 2), {});
    EXPECT_EQ(found.points.front().verdict, analysis::Change::same);
}

TEST(Comparison, AStepOfTheClockIsNoDifference) {
    // A clock of 40 ns: 60 of 100 times at 400 ns and 40 at 440, and the other way round. Times differ by 8
    // ns.
    const auto with = [](const char* name, int fast) {
        auto run = run_called(name);
        std::vector<double> times;
        for (int i = 0; i < 1'000; ++i) {
            times.push_back(i * 37 % 100 < fast ? 400 : 440);
        }
        add_point(run, key_at(8), {std::move(times)});
        return run;
    };
    const auto found = compare(with("run 1", 60), with("run 2", 40), {});
    const auto& point = found.points.front();
    EXPECT_DOUBLE_EQ(point.ratio, 1.1) << "of the medians as they are shown";
    EXPECT_LT(point.ratio_ci95.low, 1.03);
    EXPECT_GE(point.ratio_ci95.high, 1.1);
    EXPECT_NE(point.verdict, Change::slower) << "by their shares, they are 3 % apart";
    EXPECT_FALSE(point.beyond_limit);
}

TEST(Comparison, AStepOfTheClockIsNoDifferenceHoweverSureASmallOneIs) {
    // 52 of 100 times at 400 ns, and 48: that is surely slower, but by 0.7 %.
    const auto with = [](const char* name, int fast) {
        auto run = run_called(name);
        std::vector<double> times;
        for (int i = 0; i < 4'000; ++i) {
            times.push_back(i * 37 % 100 < fast ? 400 : 440);
        }
        add_point(run, key_at(8), testing::Launches(5, times));
        return run;
    };
    const auto point = compare(with("run 1", 52), with("run 2", 48), {}).points.front();
    EXPECT_DOUBLE_EQ(point.ratio, 1.1);
    EXPECT_NEAR(point.tested_ratio, 421.7 / 418.5, 0.002);
    EXPECT_LT(point.p_value, 0.01);
    EXPECT_NE(point.verdict, Change::slower);
    const auto back = compare(with("run 1", 48), with("run 2", 52), {}).points.front();
    EXPECT_NE(back.verdict, Change::faster);
}

TEST(Comparison, AStartWithoutATimeCannotBeCompared) {
    const auto with = [](const char* name) {
        auto run = run_called(name);
        add_point(run, key_at(8),
                  {std::vector<double>(50, 0), std::vector<double>(50, 40), std::vector<double>(50, 40)});
        add_point(run, key_at(16), {some_times(1'000, 1), some_times(1'000, 2), some_times(1'000, 3)});
        return run;
    };
    const auto found = compare(with("run 1"), with("run 2"), {});
    EXPECT_EQ(found.points[0].verdict, analysis::Change::same);
    EXPECT_EQ(found.points[1].verdict, analysis::Change::same);
}

TEST(Comparison, IsUndecidedWithFewRepetitions) {
    auto first = run_called("run 1");
    auto second = run_called("run 2");
    add_point(first, key_at(8), {{900, 1'000, 1'200, 800, 1'100, 990}});
    add_point(second, key_at(8), {{1'000, 1'300, 800, 950, 1'250, 1'050}});
    const auto found = compare(std::move(first), std::move(second), {});
    EXPECT_EQ(found.points.front().verdict, analysis::Change::undecided);
    EXPECT_EQ(found.points.front().doubt, Doubt::few_repetitions);
}

TEST(Comparison, SmallChangesAreNegligibleHoweverSure) {
    auto first = run_called("run 1");
    auto second = run_called("run 2");
    first.result.run.simulated = second.result.run.simulated = true;
    for (int i = 1; i <= 10; ++i) {
        add_point(first, key_at(i), {std::vector<double>(60, 1'000.0)});
        add_point(second, key_at(i), {std::vector<double>(60, i == 10 ? 1'020.0 : 1'005.0)});
    }
    const auto found = compare(std::move(first), std::move(second), {});
    EXPECT_EQ(found.count(analysis::Change::same), 9U) << "0.5 % are less than 1 %";
    EXPECT_EQ(found.count(analysis::Change::slower), 1U);
    EXPECT_EQ(found.beyond_limit(), 0U);
    EXPECT_EQ(found.scatter.source, analysis::ScatterSource::none);
    EXPECT_DOUBLE_EQ(found.points.back().ratio, 1.02);
}

TEST(Comparison, IsAGateThatFailsHoldsOrCannotBeDecided) {
    const auto gate_of = [](const std::vector<Change>& verdicts, bool beyond_limit) {
        Comparison comparison;
        for (const auto verdict : verdicts) {
            comparison.points.emplace_back();
            comparison.points.back().verdict = verdict;
            comparison.points.back().beyond_limit = beyond_limit && verdict == Change::slower;
            if (verdict == Change::undecided) {
                comparison.points.back().doubt = Doubt::wide_launches;
            }
        }
        return comparison.gate();
    };
    EXPECT_EQ(gate_of({Change::same, Change::faster, Change::slower}, false), Gate::holds)
        << "slower by less than the limit";
    EXPECT_EQ(gate_of({Change::same, Change::undecided}, false), Gate::undecided);
    EXPECT_EQ(gate_of({Change::undecided, Change::slower}, true), Gate::fails)
        << "what is undecided does not matter any more";
}

TEST(Comparison, NamesPointsThatOneRunLacks) {
    auto first = run_of("run 1", 1'000, 1);
    auto second = run_of("run 2", 1'000, 2);
    add_point(first, key_at(64), {some_times(500, 3)});
    add_point(second, key_at(128), {some_times(500, 4)});
    add_point(first, key_at(256), {some_times(500, 5)});
    add_point(second, key_at(256), {});
    second.result.points.back().status = journal::PointStatus::failed;
    second.result.points.back().reason = "rank 1 died";
    const auto found = compare(std::move(first), std::move(second), {});
    ASSERT_EQ(found.unmatched.size(), 3U);
    EXPECT_FALSE(found.unmatched[0].status);
    EXPECT_FALSE(found.unmatched[0].lacking_in_first);
    EXPECT_EQ(found.unmatched[1].status, journal::PointStatus::failed);
    EXPECT_EQ(found.unmatched[1].reason, "rank 1 died");
    EXPECT_FALSE(found.unmatched[2].status);
    EXPECT_TRUE(found.unmatched[2].lacking_in_first);
    EXPECT_EQ(found.unmatched[2].key.size.count, 128);
    EXPECT_EQ(found.newly_failed(), 1U) << "what was never measured did not fail";
    EXPECT_EQ(found.beyond_limit(), 0U);
    EXPECT_EQ(found.gate(), Gate::fails);
}

TEST(Comparison, MatchesAcrossProcessCountsWhereEachRunHasOne) {
    const auto found = compare(run_of("run 1", 1'000, 1, 4), run_of("run 2", 1'000, 2, 8), {});
    EXPECT_TRUE(found.across_procs);
    ASSERT_EQ(found.points.size(), 1U);
    EXPECT_EQ(found.points.front().key.procs, 4);
    EXPECT_EQ(found.points.front().second_procs, 8);
    auto several = run_of("run 3", 1'000, 1, 2);
    add_point(several, key_at(8, "bcast", 3), {some_times(1'000, 4)});
    EXPECT_THROW(compare(run_of("run 1", 1'000, 1, 4), std::move(several), {}), BadInput);
}

TEST(Comparison, SaysInWhatRunsDiffer) {
    auto second = run_of("run 2", 1'000, 2);
    second.result.run.mpi_version = "MPICH 4.0.2";
    second.hosts = {{"h2", 4}};
    second.result.plan.over_ranks = plan::OverRanks::mean;
    const auto found = compare(run_of("run 1", 1'000, 1), std::move(second), {});
    ASSERT_EQ(found.differences.size(), 3U);
    EXPECT_EQ(found.differences[0].kind, DifferenceKind::library);
    EXPECT_EQ(found.differences[1].kind, DifferenceKind::hosts);
    EXPECT_EQ(found.differences[2].name, "over_ranks");
    EXPECT_TRUE(found.differences[2].setting());
}

TEST(Comparison, StartsThatDifferMakeItLessSure) {
    // Three launches that are 10 % apart: 5 % between the runs is not significant, though each launch is
    // precise.
    const auto with_levels = [](const char* name, double factor, std::uint64_t seed) {
        auto run = run_called(name);
        testing::Launches starts;
        for (const double level : {900.0, 1'000.0, 1'100.0}) {
            starts.push_back(some_times(level * factor, seed++));
        }
        add_point(run, key_at(8), std::move(starts));
        return run;
    };
    const auto found = compare(with_levels("run 1", 1, 1), with_levels("run 2", 1.05, 11), {});
    EXPECT_EQ(found.points.front().verdict, analysis::Change::undecided);
    EXPECT_EQ(found.scatter.source, analysis::ScatterSource::launches);
    EXPECT_EQ(found.points.front().doubt, Doubt::wide_launches);
}

TEST(Comparison, RefusesRunsWithoutACommonPoint) {
    auto second = run_called("run 2");
    add_point(second, key_at(8, "reduce"), {some_times(1'000, 2)});
    EXPECT_THROW(compare(run_of("run 1", 1'000, 1), std::move(second), {}), BadInput);
    EXPECT_THROW(compare(run_of("run 1", 1'000, 1), run_of("run 2", 1'000, 2), {}, "reduce"), BadInput);
}

/// Five launches of one point, those of a run a little apart.
MeasuredRun launched_run(const std::string& name, double median_ns, std::uint64_t seed) {
    auto run = run_called(name);
    testing::Launches launches;
    for (const double share : {0.997, 0.999, 1.0, 1.001, 1.003}) {
        launches.push_back(some_times(median_ns * share, seed++));
    }
    add_point(run, key_at(8), std::move(launches));
    run.file = "fathom.db";
    run.result.between_runs = {.source = BetweenRunsSource::assumed, .usual = {.value = 0.02 * 0.02}};
    return run;
}

TEST(Comparison, IncludesWhatIsBetweenRuns) {
    const auto run = [](const char* name, double median_ns, std::uint64_t seed,
                        std::vector<std::int64_t> jobs) {
        auto made = launched_run(name, median_ns, seed);
        made.launch_jobs = std::move(jobs);
        return made;
    };
    const auto apart =
        compare(run("run 1", 1'000, 1, {1, 2, 3, 4, 5}), run("run 2", 970, 11, {6, 7, 8, 9, 10}), {});
    EXPECT_FALSE(apart.between_runs.in_turn);
    EXPECT_EQ(apart.points.front().verdict, Change::undecided) << "3 % is less than runs differ by";
    EXPECT_EQ(apart.points.front().doubt, Doubt::wide_runs);
    EXPECT_LT(apart.points.front().ratio_ci95.low, 0.97 * std::exp(-1.95 * 0.0282));
    const auto in_turn =
        compare(run("run 1", 1'000, 1, {1, 4, 5, 8, 9}), run("run 2", 970, 11, {2, 3, 6, 7, 10}), {});
    EXPECT_TRUE(in_turn.between_runs.in_turn);
    EXPECT_EQ(in_turn.points.front().verdict, Change::faster);
    EXPECT_GT(in_turn.points.front().ratio_ci95.low, 0.95);
    const auto large =
        compare(run("run 1", 1'000, 1, {1, 2, 3, 4, 5}), run("run 2", 1'300, 11, {6, 7, 8, 9, 10}), {});
    EXPECT_TRUE(large.points.front().beyond_limit);
}

/// One launch of so many points, all of which take this share of the usual time.
MeasuredRun once_launched_run(const std::string& name, int points, double share, std::uint64_t seed) {
    auto run = run_called(name);
    for (int point = 1; point <= points; ++point) {
        add_point(run, key_at(8 * point), {some_times(1'000 * point * share, seed++)});
    }
    run.result.between_runs = {.source = BetweenRunsSource::assumed, .usual = {.value = 0.02 * 0.02}};
    return run;
}

TEST(Comparison, IncludesWhatIsBetweenRunsOfOneLaunch) {
    for (const int points : {1, 3, 20}) {
        const auto source = points < 8 ? ScatterSource::assumed : ScatterSource::table;
        const auto first = once_launched_run("run 1", points, 1, 1);
        const auto shifted = compare(first, once_launched_run("run 2", points, 1.08, 101), {});
        EXPECT_EQ(shifted.scatter.source, source);
        EXPECT_EQ(shifted.count(Change::undecided), shifted.points.size())
            << "all points share 8 %, which runs at different times may differ by: " << points;
        EXPECT_EQ(shifted.points.front().doubt, Doubt::wide_runs);
        const auto slower = compare(first, once_launched_run("run 2", points, 1.3, 101), {});
        EXPECT_EQ(slower.beyond_limit(), slower.points.size()) << points;
    }
}

TEST(Comparison, TakesForAlikeRunsWhatMoreOfThemTeach) {
    auto first = launched_run("run 1", 1'000, 1);
    auto second = launched_run("run 2", 970, 11);
    first.file = "another.db";
    second.result.between_runs = {
        .source = BetweenRunsSource::learned, .runs = 6, .usual = {.value = 0.004 * 0.004, .freedom = 20}};
    const auto alike = compare(first, second, {});
    EXPECT_EQ(alike.between_runs.first.runs, 6U);
    EXPECT_EQ(alike.points.front().verdict, Change::faster);
    second.result.run.mpi_version = "MPICH 4.0.2";
    EXPECT_EQ(compare(first, second, {}).between_runs.first.source, BetweenRunsSource::assumed);
}

TEST(Comparison, KnowsAVarianceThatBothRunsShareWithItsOwnDegreesOfFreedom) {
    auto first = launched_run("run 1", 1'000, 1);
    auto second = launched_run("run 2", 1'000, 11);
    first.result.between_runs = second.result.between_runs = {
        .source = BetweenRunsSource::learned, .runs = 6, .usual = {.value = 0.03 * 0.03, .freedom = 4}};
    first.launch_jobs = {1, 2, 3, 4, 5};
    second.launch_jobs = {6, 7, 8, 9, 10};
    const auto reach = [&] {
        const auto interval = compare(first, second, {}).points.front().ratio_ci95;
        return std::log(interval.high / interval.low) / 2;
    };
    // Student's factors of 4 and 8; launches add next to nothing.
    EXPECT_NEAR(reach(), 2.776 * 0.03 * std::sqrt(2), 0.001);
    second.result.run.mpi_version = "MPICH 4.0.2";
    EXPECT_NEAR(reach(), 2.306 * 0.03 * std::sqrt(2), 0.001) << "unlike runs have learned independently";
}

TEST(Comparison, ShowsTheMediansOfItsRunsAndTheirRatio) {
    auto first = launched_run("run 1", 1'000, 1);
    auto second = launched_run("run 2", 1'100, 11);
    second.result.points.front().quality = Quality::imprecise;
    const auto found = compare(first, second, {}).points.front();
    EXPECT_EQ(found.first_median_ns, first.result.points.front().time_ns->median);
    EXPECT_EQ(found.second_median_ns, second.result.points.front().time_ns->median);
    EXPECT_DOUBLE_EQ(found.ratio, found.second_median_ns / found.first_median_ns);
    EXPECT_DOUBLE_EQ(found.tested_ratio, found.ratio) << "no two times are equal";
    EXPECT_EQ(found.second_quality, Quality::imprecise);
}

}  // namespace
}  // namespace fathom::analysis
