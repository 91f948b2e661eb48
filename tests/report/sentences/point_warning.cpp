#include "report/sentences/point_warning.hpp"

#include <gmock/gmock.h>

namespace fathom::report {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t ns_per_ms = 1'000'000;

std::string said_of(analysis::PointWarningFacts facts) {
    return sentence(analysis::PointWarning{std::move(facts)});
}

TEST(DisturbanceSentence, SaysWhenAndHowMuch) {
    analysis::Disturbed disturbed{
        .times = {{.begin = {2'000 * ns_per_ms}, .end = {3'500 * ns_per_ms}, .rank = 3, .share = 0.4}}};
    EXPECT_EQ(said_of(disturbed),
              "the machine was disturbed for 1.5 s, when rank 3 was preempted for 40 % of the time");
    // The clock showed 1 s at 00:01:00.5.
    disturbed.moment = store::Moment{.clock = {1'000 * ns_per_ms}, .utc = {60'500 * ns_per_ms}};
    disturbed.set_aside = 5;
    disturbed.of = 1'200;
    EXPECT_EQ(said_of(disturbed),
              "the machine was disturbed from 00:01:01.5 to 00:01:03.0 UTC (1.0 to 2.5 s into the job), when "
              "rank 3 was preempted for 40 % of the time; 5 of 1 200 repetitions were set aside");
}

TEST(DisturbanceSentence, NamesThreeTimesAndCountsTheRest) {
    analysis::Disturbed disturbed;
    disturbed.times.resize(3, {.begin = {0}, .end = {1'000 * ns_per_ms}, .rank = 0, .share = 0.5});
    const std::string each = "for 1.0 s, when rank 0 was preempted for 50 % of the time";
    EXPECT_EQ(said_of(disturbed), "the machine was disturbed " + each + ", " + each + " and " + each);
    disturbed.times.resize(5, disturbed.times.front());
    EXPECT_EQ(said_of(disturbed),
              "the machine was disturbed " + each + ", " + each + ", " + each + " and 2 more times");
}

TEST(DisturbanceSentence, NeverSaysMoreThanAllOfTheTime) {
    const analysis::Disturbed disturbed{
        .times = {{.begin = {0}, .end = {1'000 * ns_per_ms}, .rank = 0, .share = 1.02}}};
    EXPECT_THAT(said_of(disturbed), HasSubstr("for 100 % of the time"));
}

TEST(DisturbanceSentence, CountsLaunches) {
    EXPECT_EQ(
        said_of(analysis::LaunchesDisturbed{.launches = 2, .of_launches = 5, .set_aside = 30, .of = 2'000}),
        "ranks were preempted in 2 of 5 launches; 30 of 2 000 repetitions were set aside");
}

TEST(LimitSentence, IsTheProbesOwnRemark) {
    EXPECT_EQ(said_of(analysis::LimitReached{"stopped at its limit"}), "stopped at its limit");
}

TEST(LimitSentence, NamesTheReasonOfALaunchThatFailed) {
    EXPECT_EQ(said_of(analysis::LaunchesFailed{.failed = 1, .of = 3, .reason = "rank 1 died"}),
              "1 of 3 launches gave no result: rank 1 died");
    EXPECT_EQ(said_of(analysis::LaunchesFailed{.failed = 1, .of = 3}),
              "1 of 3 launches gave no result: no valid repetition");
    EXPECT_EQ(said_of(analysis::LaunchesFailed{
                  .failed = 2, .of = 3, .no_times = analysis::NoTimes::not_measured_yet}),
              "2 of 3 launches gave no result: not measured yet");
}

TEST(LimitSentence, ComparesTheIntervalWithItsGoal) {
    EXPECT_EQ(said_of(analysis::GoalMissed{.width_percent = 7.123, .goal_percent = 2}),
              "the 95 % interval over its launches is 7.12 % of the median, target 2 %");
}

TEST(IntervalSentence, CallsRepetitionsFewOnlyWhereTheyAre) {
    EXPECT_EQ(said_of(analysis::NoInterval{.reps = 5, .few = true}),
              "too few repetitions for a 95 % interval; give --reps 30 or more");
    EXPECT_EQ(
        said_of(analysis::NoInterval{.reps = 1'500, .few = false}),
        "no 95 % interval: 1 500 repetitions resemble each other so much that they count for fewer than "
        "6 independent ones; give more time (--point-budget) or --runs");
}

TEST(ClockSentence, SaysHowTheDriftChanged) {
    EXPECT_EQ(said_of(analysis::DriftChanged{
                  .rank = 1, .before_ppm = 10, .after_ppm = -60.5, .uncertainty = {49'000}}),
              "the drift of rank 1's clock changed from +10.00 to -60.50 ppm during the measurement; its "
              "start times are uncertain by another 49.0 us");
}

TEST(StartSentence, SaysHowFarApartProcessesStarted) {
    EXPECT_EQ(said_of(analysis::StartedApart{800}),
              "processes started 800 ns apart (median), more than a tenth of the measured time");
}

TEST(WorkSentence, SaysWhatWasOff) {
    EXPECT_EQ(said_of(analysis::WorkOff{.rank = 0, .requested_ns = 10'000, .took_ns = 10'400}),
              "work was off by more than 1 %: requested 10.0 us, took 10.4 us (rank 0)");
    EXPECT_EQ(said_of(analysis::WorkDrifted{.rank = 2, .change = 0.05}),
              "the speed of the work changed during the study: a unit took 5.0 % more afterwards (rank 2)");
    EXPECT_THAT(said_of(analysis::WorkDrifted{.rank = 2, .change = -0.02}), HasSubstr("2.0 % less"));
}

TEST(LaunchLevelsSentence, NamesBothAndTheirLaunches) {
    EXPECT_EQ(
        said_of(analysis::LaunchLevels{.low_ns = 100, .high_ns = 150, .low_launches = 3, .high_launches = 2}),
        "two levels, fixed at launch: 100 ns in 3 of 5, 150 ns in 2");
}

TEST(EventsDroppedSentence, SaysHowManyAndWhatToGive) {
    EXPECT_EQ(
        said_of(analysis::EventsDropped{.dropped = 512, .of = 1'024}),
        "512 of 1 024 events of its trace were dropped, because the ring of a rank was full; give a larger "
        "--trace-ring, or --trace every=K");
}

TEST(ReasonOfAPoint, IsTheStoredOneOrTheAnalysisOwn) {
    analysis::PointResult point;
    EXPECT_EQ(reason_of(point), "");
    point.reason = "wrong data";
    EXPECT_EQ(reason_of(point), "wrong data");
    point.no_times = analysis::NoTimes::no_global_clock;
    EXPECT_EQ(reason_of(point), "one-way times need synchronised clocks on all ranks");
}

}  // namespace
}  // namespace fathom::report
