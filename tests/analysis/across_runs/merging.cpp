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

std::string refusal(std::vector<MeasuredRun> runs) {
    try {
        merge(std::move(runs), false);
    } catch (const BadInput& refused) {
        return refused.what();
    }
    return "";
}

TEST(Merging, TakesTheMedianOverRunsWithStudentsInterval) {
    // 10, 12 and 14: deviation 2, t of two degrees of freedom 4.303, 4.303 * 2 / sqrt(3) = 4.968; a
    // median of three costs 1.160 times that.
    const auto merging = merge({run_of("run 1", 10), run_of("run 2", 14), run_of("run 3", 12)}, false);
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
    const auto merging = merge({run_of("run 1", 10), run_of("run 2", 500), run_of("run 3", 12)}, false);
    EXPECT_DOUBLE_EQ(merging.points.front().median_ns, 12);
}

TEST(Merging, TakesAPointFromTheRunsThatHaveIt) {
    auto first = run_of("run 1", 10);
    auto second = run_of("run 2", 12);
    auto third = run_of("run 3", 11);
    second.result.points.front().status = journal::PointStatus::failed;
    second.result.points.front().reason = "rank 1 died";
    add_point(third, key_at(500), {{5}});
    const auto merging = merge({std::move(first), std::move(second), std::move(third)}, false);
    ASSERT_EQ(merging.points.size(), 2U);
    const auto& both = merging.points.back();
    EXPECT_EQ(both.key.size.count, 500);
    EXPECT_EQ(both.runs(), 1U);
    EXPECT_FALSE(both.median_ci95_ns);
    EXPECT_THAT(merging.points.front().missing, ElementsAre("run 2: failed, rank 1 died"));
    EXPECT_THAT(both.missing, ElementsAre("run 1: not measured", "run 2: not measured"));
}

TEST(Merging, RefusesRunsThatDoNotMeasureTheSameThing) {
    auto other_library = run_of("run 2", 12);
    other_library.result.run.mpi_version = "MPICH 4.0.2";
    EXPECT_EQ(
        refusal({run_of("run 1", 10), other_library}),
        "these runs do not measure the same thing: run 1 and run 2 differ in MPI library: Open MPI 4.1.4 and "
        "MPICH 4.0.2. --anyway merges them.");
    auto other_hosts = run_of("run 2", 12);
    other_hosts.hosts = {{"h7", 4}};
    EXPECT_NE(refusal({run_of("run 1", 10), other_hosts}).find("hosts: h1 (4) and h7 (4)"),
              std::string::npos);
    auto other_setting = run_of("run 2", 12);
    other_setting.result.plan.over_ranks = plan::OverRanks::mean;
    EXPECT_NE(refusal({run_of("run 1", 10), other_setting}).find("over_ranks"), std::string::npos);
    auto other_procs = run_called("run 2");
    add_point(other_procs, key_at(1'000, "bcast", 8), {{12}});
    EXPECT_NE(refusal({run_of("run 1", 10), other_procs}).find("process count: 4 and 8"), std::string::npos);
    EXPECT_NE(refusal({run_of("run 1", 10)}).find("two runs"), std::string::npos);
    EXPECT_EQ(refusal({run_of("run 1", 10), run_of("run 2", 12)}), "");
}

TEST(Merging, SaysInWhatRunsDifferThatAreMergedAnyway) {
    auto other = run_of("run 2", 12);
    other.hosts = {{"h7", 4}};
    const auto merging = merge({run_of("run 1", 10), std::move(other)}, true);
    EXPECT_THAT(merging.remarks, ElementsAre("run 1 and run 2 differ in hosts: h1 (4) and h7 (4)"));
    EXPECT_EQ(merging.points.front().runs(), 2U);
}

TEST(Merging, RunsOfAnotherFathomBelongTogetherAndItIsSaid) {
    auto other = run_of("run 2", 12);
    other.result.run.fathom_version = "9";
    EXPECT_EQ(merge({run_of("run 1", 10), std::move(other)}, false).remarks.size(), 1U);
}

}  // namespace
}  // namespace fathom::analysis
