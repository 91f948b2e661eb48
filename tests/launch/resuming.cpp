// Resuming a run whose jobs did not finish.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launch/lease.hpp"
#include "launch/measured_run.hpp"

namespace fathom::launch {
namespace {

using ::testing::ElementsAre;
using testing::FakeJob;
using ::testing::IsEmpty;
using testing::joined;
using testing::measured;
using testing::opening;
using testing::write_journal;

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
    EXPECT_THAT(sizes_of_job(0), ElementsAre(16, 32)) << "8 was in the journal, 16 was being measured";
    EXPECT_EQ(samples_at(0), 12U);
    EXPECT_EQ(point(1).deaths, 0) << "it did not kill fathom";
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

/// Records what is said of damage.
class Losses : public MeasurementObserver {
  public:
    void journal_damaged(const std::string& losses) override { lines.push_back(losses); }
    std::vector<std::string> lines;
};

TEST_F(Resuming, GoesOnWithoutAJournalThatIsNone) {
    Losses said;
    observer = &said;
    plan_run(three_sizes());
    const auto path = leave_job({});
    write_file(path, std::string(100, 'x'));
    EXPECT_EQ(resume().value().kind, Outcome::Kind::done) << "what is lost is measured again";
    EXPECT_THAT(said.lines, ElementsAre(path.string() + " is not a fathom journal"));
    EXPECT_TRUE(complete());
}

TEST_F(Resuming, GivesNoPointUpHoweverOftenFathomIsKilled) {
    plan_run(three_sizes());
    for (int i = 0; i < 4; ++i) {
        leave_job(joined({opening(), {journal::PointBegin{0}}}));
        probe.will({{.end = FakeJob::End::interrupted, .measures = 0, .between_points = true}});
        resume();
        EXPECT_EQ(point(0).status, journal::PointStatus::pending);
        EXPECT_EQ(point(0).deaths, 0);
    }
    resume();
    EXPECT_TRUE(complete());
}

TEST_F(Resuming, BlamesAPointAtWhichTheProbeGaveUpAlthoughFathomWasKilled) {
    plan_run(three_sizes());
    leave_job(joined(
        {opening(), {journal::PointBegin{0}, journal::JobEnd{.complete = false, .reason = "no memory"}}}));
    probe.will({{.end = FakeJob::End::interrupted, .measures = 0, .between_points = true}});
    resume();
    EXPECT_EQ(point(0).status, journal::PointStatus::died);
    EXPECT_EQ(point(0).reason, "no memory");
}

TEST_F(Resuming, CostsWhatIsDamagedInTheJournal) {
    Losses said;
    observer = &said;
    plan_run(three_sizes());
    const auto path = leave_job(joined({opening(), measured(0)}));
    const auto damaged_at = std::filesystem::file_size(path) + 40;
    write_journal(path, joined({opening(), measured(0), measured(1), measured(2), {journal::JobEnd{}}}));
    auto bytes = read_file(path);
    bytes.at(damaged_at) = static_cast<char>(bytes.at(damaged_at) ^ 1);
    write_file(path, bytes);
    EXPECT_EQ(resume().value().kind, Outcome::Kind::done);
    ASSERT_EQ(probe.jobs.size(), 1U);
    EXPECT_THAT(sizes_of_job(0), ElementsAre(16)) << "before and behind it, all is kept";
    ASSERT_THAT(said.lines, ::testing::SizeIs(1));
    EXPECT_THAT(said.lines[0], ::testing::MatchesRegex("the journal is damaged: [0-9]+ bytes could not be "
                                                       "read; dropped bcast.*16.*"));
    const auto warnings = store.warnings(run);
    EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(),
                            [](const auto& warning) { return warning.code == "journal-damaged"; }));
}

TEST_F(Resuming, TakesWhatCouldNotBeStoredFromTheJournal) {
    plan_run(three_sizes());
    int stored = 0;
    const auto full_disk = [&](const Command& command, Follower& follower) {
        const auto job = plan::read_job(read_file(command.words.back()), "job");
        testing::write_journal(job.journal, joined({opening(), measured(0), measured(1), measured(2)}));
        if (++stored == 1) {
            throw Unwritable("no space left for fathom.db; free some space.");
        }
        return probe.run(command, follower);
    };
    Measurement first(store, resolved, run, *observer, full_disk, [this] { return now; });
    try {
        first.measure();
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.category(), ErrorCategory::unwritable);
        EXPECT_EQ(std::string(error.what()),
                  fmt::format("no space left for fathom.db; free some space. What was measured is kept; "
                              "'fathom run --resume {}' goes on from there.",
                              run));
    }
    EXPECT_TRUE(std::filesystem::exists(journal_of_run(store.path(), run)));
    EXPECT_EQ(status(), "failed");
    EXPECT_FALSE(resume()) << "all of it is in the journal";
    EXPECT_THAT(states(), ElementsAre("0: 8 ok", "0: 16 ok", "0: 32 ok"));
    EXPECT_EQ(files_beside_the_store(), 0U);
}

TEST_F(Resuming, StopsWithoutWritingWhereAnotherHasTakenTheRunOver) {
    plan_run(three_sizes());
    own_run(store, run);
    auto other = store::Store::open_or_create(folder / "fathom.db");
    const auto take_over = [&](const Command& command, Follower& follower) {
        other.take_lease(
            run, {.owner = "other", .process = machine::this_process(), .taken_utc = {}, .heartbeat = 0},
            other.lease(run));
        const auto journal = journal_of_run(store.path(), run);
        std::filesystem::remove(journal);
        write_file(journal, "");  // of the other's job
        return probe.run(command, follower);
    };
    Measurement first(store, resolved, run, *observer, take_over, [this] { return now; });
    EXPECT_THROW(first.measure(), store::LeaseLost);
    EXPECT_THAT(states(), ElementsAre("0: 8 pending", "0: 16 pending", "0: 32 pending"));
    EXPECT_EQ(status(), "running");
    EXPECT_EQ(last_job().state, store::JobState::running);
    EXPECT_TRUE(std::filesystem::exists(journal_of_run(store.path(), run))) << "it is not ours any more";
}

}  // namespace
}  // namespace fathom::launch
