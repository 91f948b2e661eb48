#include "report/merging.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/synthetic_run.hpp"
#include "journal/json.hpp"

namespace fathom::report {
namespace {

using testing::add_point;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::key_at;
using testing::run_called;

analysis::MeasuredRun merged_run(const std::string& name, double median_ns) {
    auto run = run_called(name);
    add_point(run, key_at(1'000), {{median_ns}});
    return run;
}

TEST(MergingText, RefusesRunsThatDoNotMeasureTheSameThing) {
    auto other = merged_run("run 2", 12);
    EXPECT_EQ(merging_refusal(analysis::merge({merged_run("run 1", 10), other})), "");
    other.result.run.fathom_version = "9";
    EXPECT_EQ(merging_refusal(analysis::merge({merged_run("run 1", 10), other})), "") << "harmless";
    other.result.run.mpi_version = "MPICH 4.0.2";
    const auto merging = analysis::merge({merged_run("run 1", 10), other});
    EXPECT_EQ(merging_refusal(merging),
              "these runs do not measure the same thing: run 1 and run 2 differ in MPI library: Open MPI "
              "4.1.4 and MPICH 4.0.2. --anyway merges them.");
    EXPECT_THAT(merging_json(merging).at("remarks"),
                ElementsAre("run 1 and run 2 differ in MPI library: Open MPI 4.1.4 and MPICH 4.0.2",
                            "run 1 and run 2 differ in fathom version: not known and 9"));
    auto other_procs = run_called("run 2");
    add_point(other_procs, key_at(1'000, "bcast", 8), {{12}});
    EXPECT_THAT(merging_refusal(analysis::merge({merged_run("run 1", 10), other_procs})),
                HasSubstr("differ in process count: 4 and 8."));
}

TEST(MergingText, SaysWhichRunsLackAPoint) {
    auto second = merged_run("run 2", 12);
    second.result.points.front().status = journal::PointStatus::failed;
    second.result.points.front().reason = "rank 1 died";
    auto third = merged_run("run 3", 11);
    add_point(third, key_at(500), {{5}});
    const auto text = merging_text(analysis::merge({merged_run("run 1", 10), second, third}), {});
    EXPECT_THAT(text, HasSubstr("run 2: failed, rank 1 died.\n"));
    EXPECT_THAT(text, HasSubstr("run 1: not measured.\n"));
}

}  // namespace
}  // namespace fathom::report
