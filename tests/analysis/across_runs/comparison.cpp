#include "analysis/across_runs/comparison.hpp"

#include <gtest/gtest.h>

#include "analysis/synthetic_run.hpp"
#include "base/error.hpp"

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

TEST(Comparison, DoesNotBlameTheRunForWhatOthersMayHaveDone) {
    const auto compared = [](bool first_disturbed, bool second_disturbed) {
        auto first = run_of("run 1", 1'000, 1);
        auto second = run_of("run 2", 1'200, 2);
        const PointWarning disturbed{Disturbed{}};
        if (first_disturbed) {
            first.result.points.front().warnings.push_back(disturbed);
        }
        if (second_disturbed) {
            second.result.points.front().warnings.push_back(disturbed);
        }
        return compare(std::move(first), std::move(second), {});
    };
    EXPECT_EQ(compared(true, false).points.front().verdict, analysis::Change::slower) << "in spite of it";
    const auto found = compared(false, true);
    EXPECT_EQ(found.points.front().verdict, analysis::Change::undecided);
    EXPECT_EQ(found.points.front().reason, "the machine was disturbed in run 2");
    EXPECT_FALSE(found.points.front().beyond_limit);
    EXPECT_EQ(found.disturbed(), 1U);
}

TEST(Comparison, ALimitThatIsNotExceededDoesNotFail) {
    const auto found = compare(run_of("run 1", 1'000, 1), run_of("run 2", 1'200, 2), {.limit = 0.5});
    EXPECT_EQ(found.points.front().verdict, analysis::Change::slower);
    EXPECT_FALSE(found.points.front().beyond_limit);
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
    EXPECT_FALSE(found.points.front().beyond_limit);
    EXPECT_NEAR(found.points.front().ratio, 1.03, 0.01) << "not 440 / 400";
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
    EXPECT_EQ(found.points.front().reason, "too few repetitions");
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
    EXPECT_EQ(found.unmatched[0].reason, "not in run 2");
    EXPECT_EQ(found.unmatched[1].reason, "failed in run 2: rank 1 died");
    EXPECT_EQ(found.unmatched[2].reason, "not in run 1");
    EXPECT_EQ(found.unmatched[2].key.size.count, 128);
    EXPECT_EQ(found.newly_failed(), 1U) << "what was never measured did not fail";
    EXPECT_EQ(found.beyond_limit(), 0U);
    EXPECT_FALSE(found.holds());
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
    EXPECT_EQ(text_of(found.differences[0]), "MPI library: Open MPI 4.1.4 and MPICH 4.0.2");
    EXPECT_EQ(text_of(found.differences[1]), "hosts: h1 (4) and h2 (4)");
    EXPECT_EQ(found.differences[2].what, "over_ranks");
    EXPECT_TRUE(found.differences[2].setting);
}

TEST(Comparison, StartsThatDifferMakeItLessSure) {
    // Three launches that are 10 % apart: 5 % between the runs is not significant, though each launch is
    // precise.
    const auto with_levels = [](const char* name, double factor, std::uint64_t seed) {
        auto run = run_called(name);
        LaunchTimes starts;
        for (const double level : {900.0, 1'000.0, 1'100.0}) {
            starts.push_back(some_times(level * factor, seed++));
        }
        add_point(run, key_at(8), std::move(starts));
        return run;
    };
    const auto found = compare(with_levels("run 1", 1, 1), with_levels("run 2", 1.05, 11), {});
    EXPECT_EQ(found.points.front().verdict, analysis::Change::undecided);
    EXPECT_EQ(found.scatter.source, analysis::ScatterSource::launches);
    EXPECT_NE(found.points.front().reason.find("launches differ"), std::string::npos);
}

TEST(Comparison, RefusesRunsWithoutACommonPoint) {
    auto second = run_called("run 2");
    add_point(second, key_at(8, "reduce"), {some_times(1'000, 2)});
    EXPECT_THROW(compare(run_of("run 1", 1'000, 1), std::move(second), {}), BadInput);
    EXPECT_THROW(compare(run_of("run 1", 1'000, 1), run_of("run 2", 1'000, 2), {}, "reduce"), BadInput);
}

}  // namespace
}  // namespace fathom::analysis
