#include "report/notes.hpp"

#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

analysis::PointResult point_with(std::int64_t size, analysis::PointWarningFacts facts) {
    analysis::PointResult point;
    point.key = {.operation = "bcast", .pattern = "all", .procs = 4, .size = {size}};
    point.status = store::PointStatus::ok;
    point.warnings = {{std::move(facts)}};
    return point;
}

analysis::Insight insight_of(analysis::InsightFacts facts) {
    return {.key = {.operation = "bcast", .pattern = "all", .procs = 4, .size = {8}},
            .sized = true,
            .weight = 2,
            .more = 0,
            .facts = std::move(facts)};
}

analysis::LongTail tail_of(double p99_us) {
    return {.p99_ns = 1000 * p99_us, .median_ns = 1000};
}

constexpr analysis::DisturbedPoints one_of_one{.disturbed = 1, .of = 1};

std::vector<std::string> texts_of(const analysis::RunResult& result) {
    std::vector<std::string> texts;
    for (const auto& note : notes_of(result)) {
        texts.push_back(note.text);
    }
    return texts;
}

TEST(Notes, OfARunWithNothingToSayAreNone) {
    EXPECT_THAT(notes_of({}), IsEmpty());
    EXPECT_EQ(notes_text({}, most_notes), "");
}

TEST(Notes, BeginWithFailuresThenDoubtsThenFindingsThenLimits) {
    analysis::RunResult result;
    result.points = {point_with(8, analysis::LimitReached{"stopped at its limit"})};
    result.insights = {insight_of(tail_of(9)), insight_of(one_of_one),
                       insight_of(analysis::FailedPoints{.failed = 1, .of = 2, .reason = "wrong data"})};
    result.warnings = {{store::Severity::note, "leftovers", "killed jobs left files.", "clean"},
                       {store::Severity::serious, "governor", "powersave.", "set it"}};
    EXPECT_THAT(texts_of(result),
                ElementsAre(HasSubstr("1 of 2 points failed"), HasSubstr("1 of 1 points were measured."),
                            "powersave.", HasSubstr("9.00 us or more"), "killed jobs left files.",
                            "bcast, 8 B, 4 processes: stopped at its limit."));
}

TEST(Notes, AreSharedByPointsWithTheSameKindOfWarning) {
    analysis::RunResult result;
    for (const auto size : {8, 16, 32}) {
        result.points.push_back(point_with(size, analysis::StartedApart{size * 100.0}));
    }
    EXPECT_THAT(texts_of(result),
                ElementsAre("bcast, 8 B, 4 processes: processes started 800 ns apart (median), more than a "
                            "tenth of the measured time. 2 more like this."));
}

TEST(Notes, DoNotRepeatForEachPointThatTheWholeRunWasDisturbed) {
    analysis::RunResult result;
    result.points = {point_with(8, analysis::LaunchesDisturbed{.launches = 1, .of_launches = 5})};
    EXPECT_THAT(texts_of(result), ElementsAre(HasSubstr("ranks were preempted in 1 of 5 launches")));
    result.insights = {insight_of(one_of_one)};
    EXPECT_THAT(texts_of(result), ElementsAre(HasSubstr("1 of 1 points were measured.")));
}

TEST(Notes, PutWhatFollowsFromADisturbanceBelowIt) {
    analysis::RunResult result;
    analysis::SlowRepetitions preempted;
    preempted.cause.kind = analysis::CauseKind::preempted;
    analysis::SlowRepetitions other;
    other.cause.kind = analysis::CauseKind::migration;
    result.insights = {insight_of(preempted), insight_of(other)};
    EXPECT_EQ(notes_of(result).size(), 2U) << "where nothing else tells of it";
    result.insights.push_back(insight_of(one_of_one));
    const auto notes = notes_of(result);
    ASSERT_EQ(notes.size(), 2U);
    EXPECT_THAT(notes.front().text, HasSubstr("1 of 1 points were measured."));
    EXPECT_EQ(notes.front().consequences.size(), 1U);
    EXPECT_THAT(notes_text(result, most_notes), HasSubstr("     - bcast"));
}

TEST(Notes, PutWhatDisturbedPointsShowBelowTheDisturbance) {
    analysis::RunResult result;
    result.points = {point_with(8, analysis::LaunchesDisturbed{.launches = 1, .of_launches = 5}),
                     point_with(16, analysis::StartedApart{800})};
    result.points.front().warnings.push_back({analysis::GoalMissed{.width_percent = 9, .goal_percent = 2}});
    result.warnings = {{store::Severity::note, "load", "the load average was 9.", "wait"}};
    result.insights = {insight_of(tail_of(9)), insight_of(one_of_one)};
    const auto notes = notes_of(result);
    ASSERT_EQ(notes.size(), 2U);
    EXPECT_THAT(notes[0].consequences, ElementsAre(HasSubstr("9.00 us or more"), HasSubstr("target 2 %"),
                                                   HasSubstr("load average")));
    EXPECT_THAT(notes[1].text, HasSubstr("16 B")) << "which was not disturbed";
}

TEST(Notes, OfADisturbedPointOnABusyVirtualMachineAreOneWithWhatToDo) {
    analysis::RunResult result;
    result.points = {point_with(8, analysis::LaunchesDisturbed{.launches = 7, .of_launches = 9})};
    result.points.front().warnings.push_back({analysis::GoalMissed{.width_percent = 16, .goal_percent = 2}});
    result.warnings = {{store::Severity::note, "load", "vm: the load average was 9.", "wait"},
                       {store::Severity::note, "virtual", "vm: a virtual machine.", "compare minima"}};
    const auto notes = notes_of(result);
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_THAT(notes[0].text, HasSubstr("ranks were preempted in 7 of 9 launches"));
    EXPECT_THAT(notes[0].fix, HasSubstr("wait until other programs have finished"));
    EXPECT_THAT(notes[0].fix, HasSubstr("on a virtual machine compare minima"));
    EXPECT_THAT(notes[0].consequences,
                ElementsAre(HasSubstr("target 2 %"), HasSubstr("load average"), "vm: a virtual machine."));
    result.points.front().warnings.clear();
    EXPECT_EQ(notes_of(result).size(), 2U) << "nothing was disturbed by it";
}

TEST(Notes, ShowAFewConsequencesUnlessAllAreWanted) {
    analysis::RunResult result;
    result.run.id = 7;
    analysis::SlowRepetitions preempted;
    preempted.cause.kind = analysis::CauseKind::preempted;
    result.insights.assign(5, insight_of(preempted));
    result.insights.push_back(insight_of(one_of_one));
    EXPECT_THAT(notes_text(result, most_notes), HasSubstr("     - 2 more: 'fathom show 7 --notes'.\n"));
    EXPECT_THAT(notes_text(result, SIZE_MAX), Not(HasSubstr("more:")));
}

TEST(Notes, ListEverySwitchThatWasLookedFor) {
    analysis::RunResult result;
    result.switches_sought = true;
    EXPECT_THAT(texts_of(result), ElementsAre(HasSubstr("No protocol or algorithm switch")));
    result.insights = {insight_of(analysis::FoundSwitch{})};
    result.switches = {{.key = {.operation = "bcast", .procs = 4}, .element = 1, .found = {}}};
    EXPECT_THAT(texts_of(result), ElementsAre(HasSubstr("bcast, 4 processes: ")));
}

TEST(Notes, ShowSoManyAndSayHowToSeeTheRest) {
    analysis::RunResult result;
    result.run.id = 7;
    for (int i = 0; i < 9; ++i) {
        result.insights.push_back(insight_of(tail_of(3 + i)));
    }
    result.insights.front() = insight_of(one_of_one);
    const auto text = notes_text(result, 7);
    EXPECT_THAT(
        text,
        HasSubstr("\nNotes\n  1. Other programs used the processors while 1 of 1 points were measured.\n"
                  "     Fix: wait until"));
    EXPECT_THAT(text, HasSubstr("  7. bcast"));
    EXPECT_THAT(text, Not(HasSubstr("  8. ")));
    EXPECT_THAT(text, HasSubstr("  2 more: 'fathom show 7 --notes'.\n"));
    EXPECT_THAT(notes_text(result, 9), Not(HasSubstr("more: ")));
}

}  // namespace
}  // namespace fathom::report
