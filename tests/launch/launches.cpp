// A run of several launches, one job after the other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "launch/measured_run.hpp"

namespace fathom::launch {
namespace {

using ::testing::ElementsAre;
using testing::FakeJob;
using Sizes = std::vector<std::int64_t>;

class SeveralStarts : public testing::MeasuredRunTest {};

TEST_F(SeveralStarts, MeasureTheSamePointsEachTime) {
    auto plan = three_sizes();
    plan.runs = 3;
    plan_run(plan);
    EXPECT_EQ(measure().kind, Outcome::Kind::done);
    ASSERT_EQ(probe.jobs.size(), 3U);
    for (std::size_t start = 0; start < 3; ++start) {
        EXPECT_THAT(sizes_of_job(start), ElementsAre(8, 16, 32));
        EXPECT_EQ(probe.jobs[start].points.front().index, static_cast<int>(3 * start))
            << "each point of each start has a position of its own";
    }
    EXPECT_THAT(states(), ElementsAre("0: 8 ok", "0: 16 ok", "0: 32 ok", "1: 8 ok", "1: 16 ok", "1: 32 ok",
                                      "2: 8 ok", "2: 16 ok", "2: 32 ok"));
    EXPECT_TRUE(complete());
    EXPECT_EQ(last_job().state, store::JobState::complete);
}

TEST_F(SeveralStarts, AreOneWherePlansDoNotSay) {
    plan_run(three_sizes());
    measure();
    EXPECT_EQ(probe.jobs.size(), 1U);
    EXPECT_TRUE(complete());
}

TEST_F(SeveralStarts, AreMoreWhereAPointSpoiltItsJob) {
    plan_run(three_sizes());
    probe.will({{.measures = 1}, {.measures = 1}});
    EXPECT_EQ(measure().kind, Outcome::Kind::done);
    ASSERT_EQ(probe.jobs.size(), 3U);
    EXPECT_THAT(sizes_of_job(1), ElementsAre(16, 32));
    EXPECT_THAT(sizes_of_job(2), ElementsAre(32));
    EXPECT_THAT(states(), ElementsAre("0: 8 ok", "0: 16 ok", "0: 32 ok"));
    EXPECT_TRUE(complete());
}

TEST_F(SeveralStarts, EndWithAJobThatMeasuresNothing) {
    plan_run(three_sizes());
    probe.will({{.measures = 0}});
    EXPECT_EQ(measure().kind, Outcome::Kind::done);
    EXPECT_EQ(probe.jobs.size(), 1U);
    EXPECT_FALSE(complete());
}

TEST_F(SeveralStarts, MeasureWhatTheFirstFoundOnTheWay) {
    auto plan = refined_sizes();
    plan.runs = 2;
    plan_run(plan);
    probe.will({{.finds = {12, 24}}});
    measure();
    ASSERT_EQ(probe.jobs.size(), 2U);
    EXPECT_THAT(sizes_of_job(1), ElementsAre(8, 16, 32, 12, 24));
    EXPECT_TRUE(probe.jobs[0].refining);
    EXPECT_FALSE(probe.jobs[1].refining) << "it looks for no others";
    EXPECT_EQ(probe.jobs[1].points.back().purpose, plan::purpose_refine);
    EXPECT_EQ(probe.jobs[0].next_index, 3);
    EXPECT_EQ(states().back(), "1: 24 ok");
    EXPECT_TRUE(complete());
}

TEST_F(SeveralStarts, HaveAnOrderOfTheirOwnEach) {
    auto plan = three_sizes();
    plan.sizes = {"1:128"};
    plan.order = plan::Order::random;
    plan.runs = 2;
    plan_run(plan);
    measure();
    ASSERT_EQ(probe.jobs.size(), 2U);
    for (const int start : {0, 1}) {
        Sizes expected;
        for (const auto& point : plan::in_order(plan, plan::points_of(plan, 2), start)) {
            expected.push_back(point.key.size.count);
        }
        EXPECT_EQ(sizes_of_job(static_cast<std::size_t>(start)), expected) << start;
    }
    EXPECT_NE(sizes_of_job(0), sizes_of_job(1));
}

TEST_F(SeveralStarts, EndWithTheFirstThatDies) {
    auto plan = three_sizes();
    plan.runs = 3;
    plan_run(plan);
    probe.will({{}, {.end = FakeJob::End::dies, .measures = 1}});
    const auto outcome = measure();
    EXPECT_EQ(outcome.kind, Outcome::Kind::died);
    EXPECT_EQ(outcome.reason, "rank 1 died");
    EXPECT_EQ(outcome.open_point, 4);
    EXPECT_EQ(probe.jobs.size(), 2U) << "there is no third";
    EXPECT_THAT(states(),
                ElementsAre("0: 8 ok", "0: 16 ok", "0: 32 ok", "1: 8 ok", "1: 16 died", "1: 32 pending"));
    EXPECT_FALSE(complete());
    EXPECT_EQ(last_job().reason, "rank 1 died");
}

TEST_F(SeveralStarts, AreMadePartByPartWhereALibraryIsAskedForAProgressThread) {
    auto plan = three_sizes();
    plan.runs = 2;
    std::vector<plan::PointSpec> points;
    for (const std::int64_t size : {8, 16}) {
        for (const auto* progress : {"", plan::progress_thread}) {
            points.push_back(testing::point_spec(static_cast<int>(points.size()), "bcast", size));
            points.back().key.progress = progress;
        }
    }
    plan_run(plan, points);
    measure();
    ASSERT_EQ(probe.jobs.size(), 4U) << "two parts in each of two starts";
    for (std::size_t job = 0; job < 4; ++job) {
        const std::string progress = job % 2 == 0 ? "" : plan::progress_thread;
        EXPECT_THAT(sizes_of_job(job), ElementsAre(8, 16)) << job;
        EXPECT_EQ(probe.jobs[job].progress, progress) << job;
        for (const auto& point : probe.jobs[job].points) {
            EXPECT_EQ(point.key.progress, progress) << job;
        }
        EXPECT_EQ(probe.commands[job].environment.empty(), progress.empty())
            << "the library is asked by its environment";
    }
    EXPECT_TRUE(complete());
}

TEST_F(SeveralStarts, MeasureVariedSettingsInJobsOfTheirOwnInAlternation) {
    auto plan = three_sizes();
    plan.runs = 4;
    plan.vary = {"OMPI_MCA_btl_vader_eager_limit=1,2,3"};
    plan_run(plan);
    measure();
    std::vector<std::string> values;
    for (std::size_t job = 0; job < probe.jobs.size(); ++job) {
        const auto& environment = probe.commands[job].environment;
        ASSERT_EQ(environment.size(), 1U);
        EXPECT_EQ(environment[0].first, "OMPI_MCA_btl_vader_eager_limit");
        values.push_back(environment[0].second);
        EXPECT_THAT(sizes_of_job(job), ElementsAre(8, 16, 32)) << job;
        EXPECT_EQ(probe.jobs[job].setting, "btl_vader_eager_limit=" + values.back());
        for (const auto& point : probe.jobs[job].points) {
            EXPECT_EQ(point.key.setting, probe.jobs[job].setting) << job;
        }
    }
    EXPECT_THAT(values, ElementsAre("1", "2", "3", "2", "3", "1", "3", "1", "2", "1", "2", "3"))
        << "every launch begins with another";
    EXPECT_TRUE(complete());
}

TEST_F(SeveralStarts, GoOnWithTheSettingThatWasInterrupted) {
    auto plan = three_sizes();
    plan.runs = 2;
    plan.vary = {"OMPI_MCA_btl_vader_eager_limit=1,2"};
    plan_run(plan);
    probe.will({{}, {}, {.end = FakeJob::End::interrupted, .measures = 1}});
    EXPECT_EQ(measure().kind, Outcome::Kind::interrupted);
    ASSERT_TRUE(resume().has_value());
    ASSERT_EQ(probe.jobs.size(), 5U);
    EXPECT_EQ(probe.jobs[3].setting, "btl_vader_eager_limit=2") << "the second launch begins with it";
    EXPECT_EQ(probe.jobs[3].points.size(), 2U);
    EXPECT_EQ(probe.jobs[4].setting, "btl_vader_eager_limit=1");
    EXPECT_TRUE(complete());
}

TEST_F(SeveralStarts, GoThroughTheLauncherAndLeaveNoFilesBehind) {
    plan_run(three_sizes());
    const auto job_file = [&] { return probe.commands.at(0).words.back(); };
    bool there = false;
    const auto look = [&](const Command& command, Follower& follower) {
        auto outcome = probe.run(command, follower);
        there = std::filesystem::exists(job_file()) && std::filesystem::exists(probe.jobs[0].journal);
        return outcome;
    };
    Measurement(store, resolved, run, *observer, look).measure();
    EXPECT_TRUE(there);
    EXPECT_FALSE(std::filesystem::exists(job_file()));
    EXPECT_FALSE(std::filesystem::exists(probe.jobs[0].journal));
    EXPECT_EQ(files_beside_the_store(), 0U);
    const auto& words = probe.commands[0].words;
    EXPECT_THAT(std::vector(words.begin(), words.begin() + 3), ElementsAre("launch", "-n", "2"));
}

TEST_F(SeveralStarts, AreSupervisedWhereNothingElseIsSaid) {
    plan_run(three_sizes());
    const auto prepared = folder / "prepared.journal";
    testing::write_journal(
        prepared,
        testing::joined(
            {testing::opening(), testing::measured(0), testing::measured(1), {journal::PointBegin{2}}}));
    const auto journal = folder / "fathom.db.run1.journal";
    const auto script = "cp " + shell_text({prepared.string(), journal.string()}) + "; exit 7";
    resolved.plan.launcher = "sh -c " + shell_text({script});
    const auto outcome = Measurement(store, resolved, run, *observer).measure();
    EXPECT_EQ(outcome.kind, Outcome::Kind::died);
    EXPECT_EQ(outcome.open_point, 2);
    EXPECT_THAT(states(), ElementsAre("0: 8 ok", "0: 16 ok", "0: 32 died"));
}

TEST_F(SeveralStarts, RememberHowAJobEndedAfterItWasDone) {
    plan_run(three_sizes());
    probe.will({{.remark = "the launcher ended with status 1"}});
    EXPECT_EQ(measure().kind, Outcome::Kind::done);
    const auto warnings = store.warnings(run);
    const auto ending = std::find_if(warnings.begin(), warnings.end(),
                                     [](const auto& warning) { return warning.code == "ending"; });
    ASSERT_NE(ending, warnings.end());
    EXPECT_EQ(ending->severity, store::Severity::note);
    EXPECT_EQ(ending->text, "the launcher ended with status 1 after all points were measured.");
    EXPECT_EQ(last_job().state, store::JobState::complete);
}

TEST_F(SeveralStarts, ThatCannotBeMadeLeaveAFailedRunThatGoesOn) {
    plan_run(three_sizes());
    probe.will({{.end = FakeJob::End::cannot_start}});
    EXPECT_THROW(measure(), NotMeasured);
    EXPECT_EQ(last_job().reason, "cannot start it");
    EXPECT_EQ(status(), "failed");
    EXPECT_THAT(states(), ElementsAre("0: 8 pending", "0: 16 pending", "0: 32 pending"));
    probe.will({{.end = FakeJob::End::cannot_start}});
    EXPECT_THROW(resume(), NotMeasured);
    EXPECT_EQ(status(), "failed") << "on resume too";
    EXPECT_EQ(resume().value().kind, Outcome::Kind::done);
    EXPECT_TRUE(complete());
}

/// Records the events it receives.
class Minutes : public MeasurementObserver {
  public:
    void job_begins(const ResolvedJob& resolved, const Part& part,
                    const std::vector<plan::PointSpec>& order) override {
        lines.push_back(fmt::format("start {} of {}: {} points", part.launch, resolved.plan.runs.value_or(1),
                                    order.size()));
    }
    void hosts_known(const std::vector<store::WarningRow>& /*fresh*/) override { lines.push_back("hosts"); }
    void point_added(const plan::PointSpec& point) override { note("added", point); }
    void point_begun(const plan::PointSpec& point) override { note("begun", point); }
    void point_ended(const plan::PointSpec& point, const store::PointRow& stored) override {
        note(std::string(to_text(stored.status)).c_str(), point);
    }
    void job_ended() override { lines.push_back("ended"); }

    std::vector<std::string> lines;

  private:
    void note(const char* what, const plan::PointSpec& point) {
        lines.push_back(fmt::format("{} {}", what, point.key.size.count));
    }
};

TEST_F(SeveralStarts, AreToldAsTheyGoOn) {
    auto plan = refined_sizes();
    plan.sizes = {"8:16:auto"};
    plan.runs = 2;
    plan_run(plan);
    Minutes minutes;
    observer = &minutes;
    probe.will({{.finds = {12}}, {.end = FakeJob::End::dies, .measures = 0}});
    measure();
    EXPECT_THAT(minutes.lines, ElementsAre("start 0 of 2: 2 points", "hosts", "begun 8", "ok 8", "begun 16",
                                           "ok 16", "added 12", "begun 12", "ok 12", "ended",  //
                                           "start 1 of 2: 3 points", "hosts", "begun 8", "ended"));
}

TEST_F(SeveralStarts, ShareTheEffortOfAPoint) {
    auto plan = three_sizes();
    plan.runs = 4;
    plan_run(plan);
    measure();
    ASSERT_EQ(probe.jobs.size(), 4U);
    for (const auto& job : probe.jobs) {
        EXPECT_DOUBLE_EQ(job.effort, 0.25);
        EXPECT_DOUBLE_EQ(job.allowance_s, 0) << "no limit but each point's own";
    }
}

TEST_F(SeveralStarts, AreThreeWhereLaunchingIsSlow) {
    auto plan = three_sizes();
    plan.runs = 5;
    plan_run(plan);
    resolved.may_launch_less = true;
    job_takes = std::chrono::seconds(3);
    EXPECT_EQ(measure().kind, Outcome::Kind::done);
    EXPECT_EQ(probe.jobs.size(), 3U);
    ASSERT_EQ(store.warnings(run).size(), 1U);
    EXPECT_EQ(store.warnings(run).front().code, "few-launches");
    plan::Plan stored;
    plan::read_plan(stored, store.find_run("last").plan_toml, "stored");
    EXPECT_EQ(stored.runs, 3) << "so that nothing is left to resume";
    EXPECT_TRUE(launch::complete(store, run, stored));
}

TEST_F(SeveralStarts, AreAsManyAsTheUserSaysHoweverSlow) {
    auto plan = three_sizes();
    plan.runs = 5;
    plan_run(plan);
    job_takes = std::chrono::seconds(3);
    measure();
    EXPECT_EQ(probe.jobs.size(), 5U);
}

TEST_F(SeveralStarts, ShareATimeGivenForTheWholeRun) {
    auto plan = three_sizes();
    plan.runs = 3;
    plan.budget_s = 30;
    plan_run(plan);
    job_takes = std::chrono::seconds(2);
    measure();
    ASSERT_EQ(probe.jobs.size(), 3U);
    // A twentieth is for showing the result.
    EXPECT_DOUBLE_EQ(probe.jobs[0].allowance_s, 28.5 / 3);
    // 26.5 s are left for two launches, of which each takes 2 s before it measures.
    EXPECT_DOUBLE_EQ(probe.jobs[1].allowance_s, 26.5 / 2 - 2);
    EXPECT_DOUBLE_EQ(probe.jobs[2].allowance_s, 24.5 - 2);
}

TEST_F(SeveralStarts, EndEarlyWhereTheTimeOfTheRunIsGone) {
    auto plan = three_sizes();
    plan.runs = 5;
    plan.budget_s = 10;
    plan_run(plan);
    job_takes = std::chrono::seconds(6);
    EXPECT_EQ(measure().kind, Outcome::Kind::done);
    EXPECT_EQ(probe.jobs.size(), 1U);
    ASSERT_EQ(store.warnings(run).size(), 1U);
    EXPECT_EQ(store.warnings(run).front().code, "few-launches");
}

class Revisits : public testing::MeasuredRunTest {};

// The fake probe's points have six repetitions of 10, 20 and 30 ns: a wide interval.
TEST_F(Revisits, MeasureWhatMissedItsGoalAgainWhileTimeIsLeft) {
    auto plan = three_sizes();
    plan.runs = 2;
    plan.revisit_percent = 100;
    plan.precision_percent = 0.001;
    plan_run(plan);
    job_takes = std::chrono::seconds(1);
    probe.scatter = true;
    EXPECT_EQ(measure().kind, Outcome::Kind::done);
    // Two launches of 1 s, and as long again for others; the last would not end in time.
    ASSERT_EQ(probe.jobs.size(), 3U);
    EXPECT_THAT(sizes_of_job(2), ElementsAre(8, 16, 32));
    EXPECT_EQ(states().back(), "2: 32 ok");
    EXPECT_GT(probe.jobs[2].allowance_s, 0);
    EXPECT_TRUE(complete());
}

TEST_F(Revisits, AreNotMadeWhereAllIsWell) {
    auto plan = three_sizes();
    plan.runs = 2;
    plan.revisit_percent = 100;
    plan_run(plan);
    job_takes = std::chrono::seconds(1);
    measure();
    EXPECT_EQ(probe.jobs.size(), 2U) << "both launches say the same, so their interval has no width";
}

TEST_F(Revisits, GoOnAfterAnInterruption) {
    auto plan = three_sizes();
    plan.runs = 2;
    plan.revisit_percent = 100;
    plan.precision_percent = 0.001;
    plan_run(plan);
    job_takes = std::chrono::seconds(1);
    probe.scatter = true;
    probe.will({{}, {}, {.end = FakeJob::End::interrupted, .measures = 1}});
    EXPECT_EQ(measure().kind, Outcome::Kind::interrupted);
    EXPECT_FALSE(complete());
    EXPECT_EQ(resume()->kind, Outcome::Kind::done);
    EXPECT_THAT(sizes_of_job(3), ElementsAre(16, 32));
    EXPECT_TRUE(complete());
}

}  // namespace
}  // namespace fathom::launch
