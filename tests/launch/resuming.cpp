// Resuming a run whose jobs did not finish.
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

class Resuming : public testing::MeasuredRunTest {
  protected:
    [[nodiscard]] store::PointRow point(int position) const { return store.point(run, position); }
    [[nodiscard]] std::size_t samples_at(int position) const {
        std::size_t count = 0;
        store.visit_samples(point(position).id,
                            [&](int, std::int64_t, const auto& samples) { count += samples.size(); });
        return count;
    }
};

TEST_F(Resuming, GoesOnWithPointsNotTriedYetAndTakesTheOneThatDiedLast) {
    plan_run(three_sizes());
    probe.will({{.end = FakeJob::End::dies, .measures = 0}});
    measure();
    EXPECT_THAT(states(), ElementsAre("0: 8 died", "0: 16 pending", "0: 32 pending"));
    EXPECT_EQ(resume().value().kind, Outcome::Kind::done);
    EXPECT_THAT(sizes_of_job(1), ElementsAre(16, 32, 8));
    EXPECT_THAT(states(), ElementsAre("0: 8 ok", "0: 16 ok", "0: 32 ok"));
    EXPECT_TRUE(complete());
}

TEST_F(Resuming, LeavesAloneWhatIsMeasured) {
    plan_run(three_sizes());
    probe.will({{.end = FakeJob::End::dies, .measures = 1}});
    measure();
    const auto measured_by = point(0).job;
    resume();
    EXPECT_THAT(sizes_of_job(1), ElementsAre(32, 16));
    EXPECT_EQ(point(0).job, measured_by);
    EXPECT_EQ(samples_at(0), 12U);
}

TEST_F(Resuming, GivesAPointThatEndsItsJobTwiceUp) {
    plan_run(three_sizes());
    probe.will({{.end = FakeJob::End::dies, .measures = 1}, {.end = FakeJob::End::dies, .measures = 1}});
    measure();
    EXPECT_EQ(point(1).deaths, 1);
    EXPECT_EQ(resume().value().kind, Outcome::Kind::died);
    EXPECT_EQ(point(1).status, journal::PointStatus::failed);
    EXPECT_EQ(point(1).deaths, 2);
    EXPECT_EQ(point(1).reason, "rank 1 died");
    EXPECT_TRUE(complete()) << "nothing is left to try";
    EXPECT_FALSE(resume());
    EXPECT_EQ(probe.jobs.size(), 2U);
}

TEST_F(Resuming, TriesAPointThatWasInterruptedAgainAndAgain) {
    plan_run(three_sizes());
    for (int i = 0; i < 3; ++i) {
        probe.will({{.end = FakeJob::End::interrupted, .measures = 0}});
        EXPECT_EQ(resume().value().kind, Outcome::Kind::interrupted);
        EXPECT_EQ(point(0).status, journal::PointStatus::pending);
        EXPECT_EQ(point(0).reason, "interrupted while being measured");
        EXPECT_EQ(point(0).deaths, 0) << "it was not its fault";
    }
    resume();
    EXPECT_THAT(sizes_of_job(3), ElementsAre(8, 16, 32)) << "in its place, not last";
    EXPECT_EQ(point(0).status, journal::PointStatus::ok);
}

TEST_F(Resuming, BlamesNoPointForADeathBetweenTwo) {
    plan_run(three_sizes());
    probe.will({{.end = FakeJob::End::dies, .measures = 1, .between_points = true}});
    const auto outcome = measure();
    EXPECT_EQ(outcome.kind, Outcome::Kind::died);
    EXPECT_FALSE(outcome.open_point);
    EXPECT_THAT(states(), ElementsAre("0: 8 ok", "0: 16 pending", "0: 32 pending"));
}

TEST_F(Resuming, ACompleteRunMeasuresNothing) {
    plan_run(three_sizes());
    measure();
    EXPECT_FALSE(resume());
    EXPECT_EQ(probe.jobs.size(), 1U);
}

TEST_F(Resuming, GoesOnWithTheStartThatDiedAndThoseAfterIt) {
    auto plan = three_sizes();
    plan.runs = 3;
    plan_run(plan);
    probe.will({{}, {.end = FakeJob::End::dies, .measures = 1}});
    measure();
    EXPECT_EQ(resume().value().kind, Outcome::Kind::done);
    ASSERT_EQ(probe.jobs.size(), 4U);
    EXPECT_THAT(sizes_of_job(2), ElementsAre(32, 16)) << "of the second start";
    EXPECT_THAT(sizes_of_job(3), ElementsAre(8, 16, 32)) << "the third start";
    EXPECT_TRUE(complete());
}

TEST_F(Resuming, MakesTheStartsThatAreMissing) {
    plan_run(three_sizes());
    measure();
    resolved.plan.runs = 2;
    EXPECT_FALSE(complete());
    resume();
    EXPECT_THAT(sizes_of_job(1), ElementsAre(8, 16, 32));
    EXPECT_TRUE(complete());
}

TEST_F(Resuming, OfARunWithoutAnyJobBeginsIt) {
    plan_run(three_sizes());
    EXPECT_EQ(resume().value().kind, Outcome::Kind::done);
    EXPECT_THAT(sizes_of_job(0), ElementsAre(8, 16, 32));
}

TEST_F(Resuming, TakesOverWhatAKilledFathomLeftInTheJournal) {
    plan_run(three_sizes());
    const auto journal = leave_job(joined({opening(), measured(0), {journal::PointBegin{1}}}));
    EXPECT_EQ(resume().value().kind, Outcome::Kind::done);
    ASSERT_EQ(probe.jobs.size(), 1U);
    EXPECT_THAT(sizes_of_job(0), ElementsAre(32, 16)) << "8 was in the journal, 16 was being measured";
    EXPECT_EQ(samples_at(0), 12U);
    EXPECT_EQ(point(1).deaths, 1) << "nobody knows who killed it";
    EXPECT_FALSE(std::filesystem::exists(journal));
    EXPECT_TRUE(complete());
}

TEST_F(Resuming, MeasuresNothingWhereTheJournalOfAKilledFathomIsComplete) {
    plan_run(three_sizes());
    const auto journal =
        leave_job(joined({opening(), measured(0), measured(1), measured(2), {journal::JobEnd{}}}));
    EXPECT_FALSE(resume());
    EXPECT_THAT(probe.jobs, IsEmpty());
    EXPECT_EQ(last_job().state, store::JobState::complete);
    EXPECT_FALSE(std::filesystem::exists(journal));
}

TEST_F(Resuming, TakesOverNothingWhereAKilledFathomHadNotStartedItsJob) {
    plan_run(three_sizes());
    store.create_job(run, "mpirun", (folder / "never.journal").string());
    EXPECT_EQ(resume().value().kind, Outcome::Kind::done);
    EXPECT_THAT(sizes_of_job(0), ElementsAre(8, 16, 32));
}

TEST_F(Resuming, TakesOverPointsThatWereFoundOnTheWay) {
    auto plan = refined_sizes();
    plan.runs = 2;
    plan_run(plan);
    leave_job(joined(
        {opening(),
         measured(0),
         measured(1),
         measured(2),
         {journal::PointAdded{{.index = 3,
                               .key = {.operation = "bcast", .pattern = "all", .procs = 2, .size = {24}},
                               .purpose = plan::purpose_refine}}},
         measured(3)}));
    resume();
    ASSERT_EQ(probe.jobs.size(), 2U);
    EXPECT_THAT(sizes_of_job(0), IsEmpty()) << "it goes on searching";
    EXPECT_THAT(sizes_of_job(1), ElementsAre(8, 16, 32, 24)) << "the second start has it too";
}

TEST_F(Resuming, RefusesAJournalThatIsNoneOnce) {
    plan_run(three_sizes());
    const auto path = leave_job({});
    write_file(path, std::string(100, 'x'));
    EXPECT_THROW(resume(), BadInput);
    EXPECT_EQ(status(), "failed");
    EXPECT_NE(last_job().state, store::JobState::running);
    EXPECT_EQ(resume().value().kind, Outcome::Kind::done) << "what is lost is measured again";
}

}  // namespace
}  // namespace fathom::launch
