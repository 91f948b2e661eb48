// Resuming runs that add points while measuring.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launch/measured_run.hpp"

namespace fathom::launch {
namespace {

using ::testing::ElementsAre;
using testing::FakeJob;
using ::testing::IsEmpty;
using testing::joined;
using testing::measured;
using testing::opening;

class Searching : public testing::MeasuredRunTest {
  protected:
    /// 8 and 16 bytes, each without and with a progress thread, and whatever is found.
    void plan_two_parts() {
        std::vector<plan::PointSpec> points;
        for (const auto* progress : {"", plan::progress_thread}) {
            for (const std::int64_t size : {8, 16}) {
                points.push_back(testing::point_spec(static_cast<int>(points.size()), "bcast", size));
                points.back().key.progress = progress;
            }
        }
        plan_run(refined_sizes(), points);
    }
};

TEST_F(Searching, GoesOnFromWhatIsKnown) {
    plan_run(refined_sizes());
    probe.will({{.end = FakeJob::End::dies, .finds = {24}, .between_points = true}});
    EXPECT_EQ(measure().kind, Outcome::Kind::died);
    EXPECT_FALSE(complete()) << "all points are measured, but there may be more";
    probe.will({{.finds = {12}}});
    EXPECT_EQ(resume().value().kind, Outcome::Kind::done);
    ASSERT_EQ(probe.jobs.size(), 2U);
    const auto& job = probe.jobs[1];
    EXPECT_THAT(job.points, IsEmpty());
    EXPECT_TRUE(job.refining);
    EXPECT_EQ(job.next_index, 4);
    ASSERT_EQ(job.known.size(), 4U);
    for (const auto& known : job.known) {
        EXPECT_TRUE(known.measured);
        EXPECT_DOUBLE_EQ(known.median_ns, 20) << "as the journal has it";
        EXPECT_DOUBLE_EQ(known.low_ns, 10);
        EXPECT_DOUBLE_EQ(known.high_ns, 30);
    }
    EXPECT_EQ(job.known.back().point.key.size.count, 24);
    EXPECT_THAT(states(), ElementsAre("0: 8 ok", "0: 16 ok", "0: 32 ok", "0: 24 ok", "0: 12 ok"));
    EXPECT_TRUE(complete());
}

TEST_F(Searching, KnowsWhatWasTriedInVainAndNotWhatIsStillOpen) {
    plan_run(refined_sizes());
    probe.will({{.end = FakeJob::End::dies, .measures = 1}, {.end = FakeJob::End::dies, .measures = 1}});
    measure();
    resume();
    EXPECT_THAT(states(), ElementsAre("0: 8 ok", "0: 16 failed", "0: 32 ok"));
    ASSERT_EQ(probe.jobs[1].known.size(), 1U) << "16 died once and gets its second chance";
    EXPECT_FALSE(complete()) << "the search has not come to its end";
    resume();
    ASSERT_EQ(probe.jobs.size(), 3U);
    ASSERT_EQ(probe.jobs[2].known.size(), 3U);
    EXPECT_FALSE(probe.jobs[2].known[1].measured);
    EXPECT_TRUE(complete());
}

TEST_F(Searching, IsNotTakenUpAgainAfterARegularEnd) {
    plan_run(refined_sizes());
    measure();
    EXPECT_TRUE(complete());
    EXPECT_FALSE(resume());
}

TEST_F(Searching, IsNotTakenUpAgainWhereTheJournalOfAKilledFathomIsComplete) {
    plan_run(refined_sizes());
    leave_job(joined({opening(), measured(0), measured(1), measured(2), {journal::JobEnd{}}}));
    EXPECT_FALSE(resume());
    EXPECT_THAT(probe.jobs, IsEmpty());
}

TEST_F(Searching, IsOverOnceThereIsAnotherStart) {
    auto plan = refined_sizes();
    plan.runs = 2;
    plan_run(plan);
    probe.will({{}, {.end = FakeJob::End::dies, .measures = 3, .between_points = true}});
    measure();
    EXPECT_FALSE(searching_part(store, run, resolved.plan)) << "only the first start searches";
    EXPECT_FALSE(resume()) << "all points of both are measured";
}

TEST_F(Searching, OfPlansWithFixedSizesIsNone) {
    plan_run(three_sizes());
    EXPECT_FALSE(searches(resolved.plan));
    probe.will({{.end = FakeJob::End::dies, .measures = 3, .between_points = true}});
    measure();
    EXPECT_TRUE(complete()) << "it died after the last point";
    EXPECT_THAT(probe.jobs[0].known, IsEmpty());
}

TEST_F(Searching, IsWhatRefinedSizesOrProcessesOrSwitchesAskFor) {
    plan::Plan plan;
    EXPECT_FALSE(searches(plan));
    plan.locate_switches = true;
    EXPECT_TRUE(searches(plan));
    plan.locate_switches = false;
    plan.procs = {"2:8:auto"};
    EXPECT_TRUE(searches(plan));
    plan.procs = {"2:8"};
    EXPECT_FALSE(searches(plan));
    plan.sizes = {"8", "1k:1M:auto"};
    EXPECT_TRUE(searches(plan));
}

TEST_F(Searching, GoesOnInThePartThatDidNotComeToItsEnd) {
    plan_two_parts();
    probe.will({{}, {.end = FakeJob::End::dies, .finds = {12}, .between_points = true}});
    EXPECT_EQ(measure().kind, Outcome::Kind::died);
    EXPECT_EQ(resume().value().kind, Outcome::Kind::done);
    ASSERT_EQ(probe.jobs.size(), 3U) << "the first part is done";
    EXPECT_EQ(probe.jobs[2].progress, plan::progress_thread);
    EXPECT_THAT(probe.jobs[2].points, IsEmpty());
    EXPECT_EQ(probe.jobs[2].known.size(), 3U) << "of its own part";
    EXPECT_TRUE(complete());
}

TEST_F(Searching, GoesOnInTheFirstPartBeforeTheSecondBegins) {
    plan_two_parts();
    probe.will({{.end = FakeJob::End::dies, .finds = {12}, .between_points = true}});
    measure();
    resume();
    ASSERT_EQ(probe.jobs.size(), 3U);
    EXPECT_EQ(probe.jobs[1].progress, "");
    EXPECT_THAT(sizes_of_job(1), IsEmpty());
    EXPECT_EQ(probe.jobs[2].progress, plan::progress_thread);
    EXPECT_THAT(sizes_of_job(2), ElementsAre(8, 16));
    EXPECT_TRUE(complete());
}

}  // namespace
}  // namespace fathom::launch
