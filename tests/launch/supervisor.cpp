#include "launch/supervisor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "launch/collector.hpp"
#include "launch/sample_journal.hpp"

namespace fathom::launch {
namespace {

using ::testing::ElementsAre;
using testing::joined;
using testing::measured;
using testing::opening;
using testing::point_spec;
using testing::SampleStore;
using testing::without_last;
using testing::write_journal;
using namespace std::chrono_literals;

/// A shell script stands in for the launcher: it puts a prepared journal where the probe would write one.
class Supervising : public ::testing::Test {
  protected:
    Outcome supervised(const std::vector<journal::Record>& records, const std::string& then,
                       Patience patience = {.step = 50s}) {
        const auto prepared = sample.folder / "prepared.journal";
        write_journal(prepared, records);
        Collector collector(sample.store, sample.run, 0, sample.job, path, {});
        const auto script = "cp " + shell_text({prepared.string(), path.string()}) + "; " + then;
        return supervise(
            {{"sh", "-c", script}, {}, {}}, collector, patience, [&] { return interrupt(collector); },
            [&] { return sample.store.ranks(sample.run); }, [&] { ++ticks; });
    }
    [[nodiscard]] std::vector<std::string> statuses() const {
        std::vector<std::string> found;
        for (const auto& point : sample.store.points(sample.run)) {
            found.emplace_back(to_text(point.status));
        }
        return found;
    }

    SampleStore sample{{point_spec(0, "bcast", 8), point_spec(1, "bcast", 16)}};
    std::filesystem::path path = sample.folder / "run.journal";
    std::function<bool(const Collector&)> interrupt = [](const auto&) { return false; };
    int ticks = 0;
};

TEST_F(Supervising, IsDoneWhenTheProbeSaidSoAndTheLauncherEndedWell) {
    const auto outcome =
        supervised(joined({opening(), measured(0), measured(1), {journal::JobEnd{}}}), "exit 0");
    EXPECT_EQ(outcome.kind, Outcome::Kind::done);
    EXPECT_EQ(outcome.reason, "");
    EXPECT_FALSE(outcome.open_point);
    EXPECT_THAT(statuses(), ElementsAre("ok", "ok"));
    EXPECT_GE(ticks, 1);
}

TEST_F(Supervising, NamesTheRankThatDiedAndThePointItWasAt) {
    const auto outcome = supervised(joined({opening(), measured(0), without_last(measured(1), 2)}),
                                    "echo 'mpirun noticed that process rank 1 with PID 0 on node h1 exited "
                                    "on signal 9 (Killed).' >&2; exit 137");
    EXPECT_EQ(outcome.kind, Outcome::Kind::died);
    EXPECT_EQ(outcome.reason, "rank 1 on node h1 died (signal 9)");
    EXPECT_EQ(outcome.open_point, 1);
    EXPECT_THAT(statuses(), ElementsAre("ok", "pending"));
}

TEST_F(Supervising, FindsTheRankOfAProcessInTheStore) {
    const auto outcome = supervised(
        joined({opening(), {journal::PointBegin{0}}}),
        "printf '=   PID 101 RUNNING AT h0\\n=   EXIT CODE: 9\\nEXIT STRING: Killed (signal 9)\\n'; exit 9");
    EXPECT_EQ(outcome.kind, Outcome::Kind::died);
    EXPECT_EQ(outcome.reason, "rank 1 on node h0 died (signal 9)");
    EXPECT_EQ(outcome.open_point, 0);
}

TEST_F(Supervising, QuotesTheLastWordsOfALauncherItDoesNotUnderstand) {
    const auto outcome = supervised(opening(), "echo starting; echo 'no such partition'; echo ----; exit 5");
    EXPECT_EQ(outcome.kind, Outcome::Kind::died);
    EXPECT_EQ(outcome.reason, "the launcher ended with exit status 5 (last output: no such partition)");
    EXPECT_FALSE(outcome.open_point);
}

TEST_F(Supervising, QuotesAtMostThreeLinesOfIt) {
    const auto outcome =
        supervised(opening(), "printf 'caf\\351 \\033[2J%010000d\\n' 0; printf '\\033]0;x\\n'; exit 5");
    const std::string before = "the launcher ended with exit status 5 (last output: ";
    EXPECT_EQ(outcome.reason, before + "\\x1b]0;x)");
    const auto wide = supervised(opening(), "printf 'caf\\351 \\033[2J%010000d\\n' 0; exit 5");
    EXPECT_EQ(wide.reason, before + "caf\\xe9 \\x1b[2J" + std::string(222, '0') + "...)");
}

TEST_F(Supervising, TellsTheSignalOfASilentLauncher) {
    const auto outcome = supervised(joined({opening(), {journal::PointBegin{0}}}), "kill -9 $$");
    EXPECT_EQ(outcome.kind, Outcome::Kind::died);
    EXPECT_EQ(outcome.reason, "the launcher ended with signal 9 (Killed)");
    EXPECT_EQ(outcome.open_point, 0);
}

TEST_F(Supervising, DoesNotBlameAPointForALinkThatWentDown) {
    const auto outcome = supervised(joined({opening(), {journal::PointBegin{0}}}),
                                    "echo 'readv failed: No route to host (113)'; exit 1");
    EXPECT_EQ(outcome.kind, Outcome::Kind::cut_off);
    EXPECT_FALSE(outcome.blames_point());
    EXPECT_EQ(outcome.open_point, 0);
}

TEST_F(Supervising, SaysWhatWasLostInADamagedJournal) {
    const auto prepared = sample.folder / "damaged.journal";
    write_journal(prepared, joined({opening(), {journal::PointBegin{0}}}));
    const auto at = std::filesystem::file_size(prepared) + 20;  // within what its checksum covers
    const auto outcome =
        supervised(joined({opening(), measured(0), measured(1), {journal::JobEnd{}}}),
                   "printf X | dd of=" + shell_text({path.string()}) +
                       " bs=1 conv=notrunc seek=" + std::to_string(at) + " 2>/dev/null; exit 0");
    // The damage may come after the point was stored; then nothing is lost.
    if (outcome.kind != Outcome::Kind::done) {
        EXPECT_EQ(outcome.kind, Outcome::Kind::cut_off);
        EXPECT_THAT(outcome.losses, ::testing::HasSubstr("the journal is damaged"));
        EXPECT_THAT(statuses(), ElementsAre("pending", "ok"));
    }
}

TEST_F(Supervising, DoesNotTrustAGoodExitWithoutTheProbesWord) {
    const auto outcome = supervised(joined({opening(), measured(0)}), "exit 0");
    EXPECT_EQ(outcome.kind, Outcome::Kind::died);
    EXPECT_EQ(outcome.reason, "the launcher ended with exit status 0");
    EXPECT_THAT(statuses(), ElementsAre("ok", "pending"));
}

TEST_F(Supervising, BelievesTheJournalRatherThanTheLauncher) {
    const journal::JobEnd gave_up{.complete = false, .reason = "rank 0 on c1: no more room"};
    const auto outcome =
        supervised(joined({opening(), measured(0), {gave_up}}), "echo something else; exit 3");
    EXPECT_EQ(outcome.kind, Outcome::Kind::died);
    EXPECT_EQ(outcome.reason, "rank 0 on c1: no more room");
}

TEST_F(Supervising, RemarksABadEndingOfAJobThatIsDone) {
    const auto outcome =
        supervised(joined({opening(), measured(0), measured(1), {journal::JobEnd{}}}), "exit 1");
    EXPECT_EQ(outcome.kind, Outcome::Kind::done);
    EXPECT_EQ(outcome.remark, "the launcher ended with exit status 1");
}

TEST_F(Supervising, ReportsAHangInMpiFinalizeOfAJobThatIsDone) {
    const auto outcome = supervised(joined({opening(), measured(0), measured(1), {journal::JobEnd{}}}),
                                    "exec sleep 1000", {.step = 50s, .ending = 1s});
    EXPECT_EQ(outcome.kind, Outcome::Kind::done);
    EXPECT_TRUE(outcome.finalize_hung);
    EXPECT_EQ(outcome.remark, "MPI_Finalize of Open MPI v4 did not return within 1 s, so the job was ended");
    EXPECT_THAT(statuses(), ElementsAre("ok", "ok"));
}

TEST_F(Supervising, RemarksWhatTheProbeSaidOfItsEnding) {
    const auto outcome =
        supervised(joined({opening(), measured(0), measured(1), {journal::JobEnd{}}}),
                   "echo 'fathom-probe: rank 1 on h1: the process ended without MPI_Finalize' >&2; exit 0");
    EXPECT_EQ(outcome.kind, Outcome::Kind::done);
    EXPECT_FALSE(outcome.finalize_hung);
    EXPECT_EQ(outcome.remark, "rank 1 on h1: the process ended without MPI_Finalize");
}

TEST_F(Supervising, EndsAJobThatHangs) {
    const auto outcome = supervised(joined({opening(), measured(0), {journal::PointBegin{1}}}),
                                    "exec sleep 1000", {.step = 1s});
    EXPECT_EQ(outcome.kind, Outcome::Kind::hung);
    EXPECT_EQ(outcome.reason, "no point was finished within 1 s (--point-timeout)");
    EXPECT_EQ(outcome.open_point, 1);
    EXPECT_THAT(statuses(), ElementsAre("ok", "pending"));
}

TEST_F(Supervising, EndsALauncherThatNeverStartsTheProbe) {
    const auto outcome = supervised({}, "exec sleep 1000", {.step = 1s});
    EXPECT_EQ(outcome.kind, Outcome::Kind::hung);
    EXPECT_FALSE(outcome.open_point);
}

TEST_F(Supervising, EndsAJobThatIsInterruptedAndKeepsWhatItHas) {
    interrupt = [](const Collector& collector) { return collector.open_point() == 1; };
    const auto outcome =
        supervised(joined({opening(), measured(0), {journal::PointBegin{1}}}), "exec sleep 1000");
    EXPECT_EQ(outcome.kind, Outcome::Kind::interrupted);
    EXPECT_EQ(outcome.reason, "interrupted");
    EXPECT_EQ(outcome.open_point, 1);
    EXPECT_THAT(statuses(), ElementsAre("ok", "pending"));
}

TEST_F(Supervising, DoesNotTakeWhatADyingJobStillWrites) {
    const auto whole = sample.folder / "whole.journal";
    write_journal(whole, joined({opening(), measured(0)}));
    interrupt = [](const Collector& collector) { return collector.open_point() == 0; };
    const auto outcome = supervised(joined({opening(), without_last(measured(0), 1)}),
                                    "trap 'cp " + shell_text({whole.string(), path.string()}) +
                                        "; exit 0' TERM; while :; do sleep 0.01; done");
    EXPECT_EQ(outcome.kind, Outcome::Kind::interrupted);
    EXPECT_EQ(outcome.open_point, 0);
    EXPECT_THAT(statuses(), ElementsAre("pending", "pending"));
}

TEST_F(Supervising, SurvivesALauncherThatTalksWithoutEnd) {
    const auto outcome = supervised(joined({opening(), measured(0), measured(1)}),
                                    "i=0; while [ $i -lt 30000 ]; do echo 0123456789; i=$((i+1)); done; "
                                    "echo 'srun: error: c3: task 17: Killed'; exit 1");
    EXPECT_EQ(outcome.kind, Outcome::Kind::died);
    EXPECT_EQ(outcome.reason, "rank 17 on node c3 died (Killed)");
}

TEST_F(Supervising, ThatCannotStartTheLauncherIsNotMeasured) {
    Collector collector(sample.store, sample.run, 0, sample.job, path, {});
    EXPECT_THROW(supervise(
                     {{"no-such-launcher"}, {}, {}}, collector, {.step = 5s}, [] { return false; },
                     [] { return std::vector<store::RankRow>(); }, [] {}),
                 NotMeasured);
}

}  // namespace
}  // namespace fathom::launch
