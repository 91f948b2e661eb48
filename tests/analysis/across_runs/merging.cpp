#include "analysis/across_runs/merging.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/synthetic_run.hpp"
#include "base/test_support.hpp"

namespace fathom::analysis {
namespace {

using testing::add_point;
using ::testing::ElementsAre;
using testing::key_at;
using testing::run_called;

MeasuredRun run_of(const std::string& name, double median_ns) {
    auto run = run_called(name);
    add_point(run, key_at(1'000), {{median_ns}});
    return run;
}

/// What rules out merging two runs.
std::vector<DifferenceKind> harm(const MeasuredRun& first, const MeasuredRun& second) {
    std::vector<DifferenceKind> found;
    for (const auto& each : merge({first, second}).differences) {
        if (!each.harmless) {
            found.push_back(each.difference.kind);
        }
    }
    return found;
}

TEST(Merging, TakesTheMedianOverRunsWithStudentsInterval) {
    // 10, 12 and 14: deviation 2, t of two degrees of freedom 4.303, 4.303 * 2 / sqrt(3) = 4.968; a
    // median of three costs 1.160 times that.
    const auto merging = merge({run_of("run 1", 10), run_of("run 2", 14), run_of("run 3", 12)});
    ASSERT_EQ(merging.points.size(), 1U);
    const auto& point = merging.points.front();
    EXPECT_EQ(point.runs(), 3U);
    EXPECT_DOUBLE_EQ(point.median_ns, 12);
    EXPECT_DOUBLE_EQ(point.min_ns, 10);
    EXPECT_DOUBLE_EQ(point.max_ns, 14);
    EXPECT_DOUBLE_EQ(*point.relative_spread, 2.0 / 12);
    EXPECT_NEAR(point.median_ci95_ns->low, 12 - 1.160 * 4.96827, 1e-4);
    EXPECT_NEAR(point.median_ci95_ns->high, 12 + 1.160 * 4.96827, 1e-4);
    EXPECT_DOUBLE_EQ(*point.rate_bytes_per_s, 1'000 / 12e-9);
    EXPECT_EQ(point.reps, 3);
}

TEST(Merging, AnOutlyingRunDoesNotCount) {
    const auto merging = merge({run_of("run 1", 10), run_of("run 2", 500), run_of("run 3", 12)});
    EXPECT_DOUBLE_EQ(merging.points.front().median_ns, 12);
}

TEST(Merging, TakesAPointFromTheRunsThatHaveIt) {
    auto first = run_of("run 1", 10);
    auto second = run_of("run 2", 12);
    auto third = run_of("run 3", 11);
    second.result.points.front().status = journal::PointStatus::failed;
    second.result.points.front().reason = "rank 1 died";
    add_point(third, key_at(500), {{5}});
    const auto merging = merge({std::move(first), std::move(second), std::move(third)});
    ASSERT_EQ(merging.points.size(), 2U);
    const auto& both = merging.points.back();
    EXPECT_EQ(both.key.size.count, 500);
    EXPECT_EQ(both.runs(), 1U);
    EXPECT_FALSE(both.median_ci95_ns);
    const auto& missing = merging.points.front().missing;
    ASSERT_EQ(missing.size(), 1U);
    EXPECT_EQ(missing[0].run, "run 2");
    EXPECT_EQ(missing[0].status, journal::PointStatus::failed);
    EXPECT_EQ(missing[0].reason, "rank 1 died");
    ASSERT_EQ(both.missing.size(), 2U);
    EXPECT_EQ(both.missing[0].run, "run 1");
    EXPECT_FALSE(both.missing[0].status);
}

TEST(Merging, KnowsRunsThatDoNotMeasureTheSameThing) {
    auto other_library = run_of("run 2", 12);
    other_library.result.run.mpi_version = "MPICH 4.0.2";
    EXPECT_THAT(harm(run_of("run 1", 10), other_library), ElementsAre(DifferenceKind::library));
    auto other_hosts = run_of("run 2", 12);
    other_hosts.hosts = {{"h7", 4}};
    EXPECT_THAT(harm(run_of("run 1", 10), other_hosts), ElementsAre(DifferenceKind::hosts));
    auto other_setting = run_of("run 2", 12);
    other_setting.result.plan.over_ranks = plan::OverRanks::mean;
    EXPECT_THAT(harm(run_of("run 1", 10), other_setting), ElementsAre(DifferenceKind::setting));
    auto other_procs = run_called("run 2");
    add_point(other_procs, key_at(1'000, "bcast", 8), {{12}});
    EXPECT_THAT(harm(run_of("run 1", 10), other_procs), ElementsAre(DifferenceKind::processes));
    EXPECT_THAT(harm(run_of("run 1", 10), run_of("run 2", 12)), ::testing::IsEmpty());
    EXPECT_THROW(merge({run_of("run 1", 10)}), BadInput);
}

TEST(Merging, RunsOfAnotherFathomBelongTogetherAndItIsSaid) {
    auto other = run_of("run 2", 12);
    other.result.run.fathom_version = "9";
    const auto merging = merge({run_of("run 1", 10), std::move(other)});
    ASSERT_EQ(merging.differences.size(), 1U);
    EXPECT_TRUE(merging.differences.front().harmless);
}

}  // namespace
}  // namespace fathom::analysis
