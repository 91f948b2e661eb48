#include "launch/ending.hpp"

#include <gtest/gtest.h>

#include "launch/sample_journal.hpp"

namespace fathom::launch {
namespace {

using testing::joined;
using testing::measured;
using testing::opening;
using testing::point_spec;
using testing::SampleStore;

class Ending : public ::testing::Test {
  protected:
    [[nodiscard]] store::PointRow point(int position) const {
        return sample.store.point(sample.run, position);
    }
    [[nodiscard]] store::RunStatus status_after(Outcome::Kind kind) {
        close_run(sample.store, sample.run, {}, {.kind = kind});
        return sample.store.find_run("last").status;
    }
    [[nodiscard]] store::JobRow left_job(const std::vector<journal::Record>& records) const {
        const auto path = sample.folder / "left.journal";
        testing::write_journal(path, records);
        store::JobRow job;
        job.id = sample.job;
        job.journal = path.string();
        return job;
    }
    [[nodiscard]] store::JobRow last_job() const { return sample.store.last_job(sample.run).value(); }

    SampleStore sample{{point_spec(0, "bcast", 8), point_spec(1, "bcast", 16)}};
};

TEST_F(Ending, OfAJobThatHungCountsAsADeathOfItsPoint) {
    end_job(sample.store, sample.run, sample.job,
            {.kind = Outcome::Kind::hung, .reason = "no point was finished", .open_point = 1});
    EXPECT_EQ(point(1).status, journal::PointStatus::died);
    EXPECT_EQ(point(1).reason, "no point was finished");
    EXPECT_EQ(point(1).deaths, 1);
    EXPECT_EQ(last_job().reason, "no point was finished");
}

TEST_F(Ending, InAHangOfMpiFinalizeIsASeriousWarningOnTheRun) {
    end_job(sample.store, sample.run, sample.job,
            {.kind = Outcome::Kind::done, .remark = "MPI_Finalize hung", .finalize_hung = true});
    const auto warnings = sample.store.warnings(sample.run);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].severity, store::Severity::serious);
    EXPECT_EQ(warnings[0].code, "finalize-hang");
    EXPECT_EQ(warnings[0].text, "MPI_Finalize hung after all points were measured.");
    EXPECT_EQ(last_job().state, store::JobState::complete) << "its results are whole";
}

TEST_F(Ending, OfAJobThatIsDoneLeavesItsPointsAlone) {
    end_job(sample.store, sample.run, sample.job, {.kind = Outcome::Kind::done, .open_point = 1});
    EXPECT_EQ(point(1).status, journal::PointStatus::pending);
    EXPECT_EQ(last_job().state, store::JobState::complete);
    EXPECT_TRUE(sample.store.warnings(sample.run).empty());
}

TEST_F(Ending, OfAnInterruptionAfterADeathKeepsTheCountOfDeaths) {
    end_job(sample.store, sample.run, sample.job,
            {.kind = Outcome::Kind::died, .reason = "rank 0 died", .open_point = 0});
    end_job(sample.store, sample.run, sample.job,
            {.kind = Outcome::Kind::interrupted, .reason = "interrupted", .open_point = 0});
    EXPECT_EQ(point(0).status, journal::PointStatus::pending);
    EXPECT_EQ(point(0).deaths, 1);
    end_job(sample.store, sample.run, sample.job,
            {.kind = Outcome::Kind::died, .reason = "rank 0 died", .open_point = 0});
    EXPECT_EQ(point(0).status, journal::PointStatus::failed) << "that was its second death";
}

TEST_F(Ending, OfARunIsDoneOnlyWhenNothingIsLeft) {
    EXPECT_EQ(status_after(Outcome::Kind::interrupted), store::RunStatus::interrupted);
    EXPECT_EQ(status_after(Outcome::Kind::died), store::RunStatus::failed);
    EXPECT_EQ(status_after(Outcome::Kind::hung), store::RunStatus::failed);
    sample.put(0, {});
    sample.put(1, {}, store::PointStatus::failed, "wrong data");
    EXPECT_EQ(status_after(Outcome::Kind::done), store::RunStatus::done);
    EXPECT_EQ(status_after(Outcome::Kind::interrupted), store::RunStatus::done) << "after the last point";
    EXPECT_TRUE(close_run(sample.store, sample.run, {}, {}));
}

TEST_F(Ending, OfARunThatIsNotCompleteKeepsItsReason) {
    close_run(sample.store, sample.run, {}, {.kind = Outcome::Kind::died, .reason = "rank 0 died"});
    EXPECT_EQ(sample.store.find_run("last").reason, "rank 0 died");
    sample.put(0, {});
    sample.put(1, {});
    close_run(sample.store, sample.run, {}, {.kind = Outcome::Kind::died, .reason = "rank 0 died"});
    EXPECT_EQ(sample.store.find_run("last").reason, "") << "all is measured";
}

TEST_F(Ending, OfAJobNobodyWatchedIsTakenFromItsJournal) {
    const auto job = left_job(joined({opening(), measured(0), {journal::PointBegin{1}}}));
    bool environment_known = false;
    const auto outcome = take_over(sample.store, sample.run, job, "it was killed",
                                   {.environment_known = [&] { environment_known = true; }});
    EXPECT_EQ(outcome.kind, Outcome::Kind::cut_off);
    EXPECT_EQ(outcome.reason, "it was killed");
    EXPECT_EQ(outcome.open_point, 1);
    EXPECT_TRUE(environment_known);
    EXPECT_EQ(point(0).status, journal::PointStatus::ok);
    EXPECT_EQ(point(1).status, journal::PointStatus::pending);
    EXPECT_EQ(point(1).reason, "it was killed");
    EXPECT_EQ(last_job().reason, "it was killed");
}

TEST_F(Ending, OfAJobNobodyWatchedIsRegularIfTheProbeSaidSo) {
    const auto job = left_job(joined({opening(), measured(0), measured(1), {journal::JobEnd{}}}));
    EXPECT_EQ(take_over(sample.store, sample.run, job, "it was killed").kind, Outcome::Kind::done);
    EXPECT_EQ(last_job().state, store::JobState::complete);
    const auto gave_up = left_job(joined({opening(), {journal::JobEnd{.complete = false, .reason = "no"}}}));
    EXPECT_EQ(take_over(sample.store, sample.run, gave_up, "it was killed").kind, Outcome::Kind::died);
}

}  // namespace
}  // namespace fathom::launch
