#include "analysis/point/launches.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;

/// One launch with these times.
PointResult start_of(const std::vector<double>& times) {
    PointResult result;
    result.key.operation = "bcast";
    result.key.pattern = "all";
    result.key.procs = 2;
    result.key.size = {1'000};
    result.status = journal::PointStatus::ok;
    result.over_ranks = plan::OverRanks::max;
    result.over_reps = "median";
    result.reps = static_cast<std::int64_t>(times.size());
    result.time_ns = stats::summarise(times);
    result.value_ns = stats::Reduction::parse("median").reduce(times);
    result.rate_bytes_per_s = 1'000 / (result.value_ns->value * 1e-9);
    return result;
}

PointResult failed_start(const std::string& reason) {
    PointResult result;
    result.key.operation = "bcast";
    result.status = journal::PointStatus::failed;
    result.reason = reason;
    return result;
}

TEST(Together, TakesTheMedianOfTheStartsMedians) {
    const auto result = together({start_of({1, 2, 3}), start_of({90, 100, 400}), start_of({4, 5, 6, 7, 8})});
    EXPECT_EQ(result.status, journal::PointStatus::ok);
    EXPECT_DOUBLE_EQ(result.time_ns->median, 6);
    EXPECT_DOUBLE_EQ(result.value_ns->value, 6);
    EXPECT_DOUBLE_EQ(result.time_ns->min, 1);
    EXPECT_DOUBLE_EQ(result.time_ns->max, 400);
    EXPECT_EQ(result.reps, 11);
    EXPECT_EQ(result.time_ns->count, 11U);
    ASSERT_TRUE(result.launches);
    EXPECT_THAT(result.launches->values_ns, ElementsAre(2, 100, 6));
}

TEST(Together, HasStudentsIntervalOverTheStarts) {
    // 10, 12 and 14: deviation 2, of two degrees of freedom t is 4.303 (any table), 4.303 * 2 / sqrt(3)
    // = 4.968; a median of three costs 1.160 times that.
    const auto three = together({start_of({10}), start_of({14}), start_of({12})});
    EXPECT_DOUBLE_EQ(three.value_ns->value, 12);
    ASSERT_TRUE(three.value_ns->ci95);
    EXPECT_NEAR(three.value_ns->ci95->low, 12 - 1.160 * 4.96827, 1e-4);
    EXPECT_NEAR(three.value_ns->ci95->high, 12 + 1.160 * 4.96827, 1e-4);
    ASSERT_TRUE(three.time_ns->median_ci95);
    EXPECT_NEAR(three.time_ns->median_ci95->low, 12 - 1.160 * 4.96827, 1e-4);
}

TEST(Together, HasNoIntervalBelowNothing) {
    // 10 and 14: t of one degree of freedom is 12.706, its reach 12.706 * 2.828 / sqrt(2) = 25.41.
    const auto two = together({start_of({10}), start_of({14})});
    EXPECT_DOUBLE_EQ(two.value_ns->ci95->low, 0);
    EXPECT_NEAR(two.value_ns->ci95->high, 12 + 25.4124, 1e-3);
}

TEST(Together, HasAnIntervalOfNoWidthWhereAllStartsAgree) {
    const auto result = together({start_of({5, 5}), start_of({5, 5, 5}), start_of({5})});
    EXPECT_DOUBLE_EQ(result.value_ns->ci95->low, 5);
    EXPECT_DOUBLE_EQ(result.value_ns->ci95->high, 5);
    EXPECT_DOUBLE_EQ(result.launches->variance_between_ns2, 0);
    EXPECT_DOUBLE_EQ(result.launches->variance_within_ns2, 0);
}

TEST(Together, PartsTheVarianceOfEqualStarts) {
    // Means 2, 4, 6 of three values each, all with variance 1: MSB = 3 * 4 = 12, MSW = 1, (12 - 1) / 3
    // between.
    const auto result = together({start_of({1, 2, 3}), start_of({5, 6, 7}), start_of({3, 4, 5})});
    EXPECT_NEAR(result.launches->variance_within_ns2, 1, 1e-12);
    EXPECT_NEAR(result.launches->variance_between_ns2, 11.0 / 3, 1e-12);
    EXPECT_NEAR(result.time_ns->variance, 14.0 / 3, 1e-12);
}

TEST(Together, PartsTheVarianceOfUnequalStarts) {
    // Means 2 (of two values, variance 2) and 4 (of three, variance 4): within (2 * 1 + 4 * 2) / 3; the
    // means' variance is 2, of which noise explains within * (1/2 + 1/3) / 2.
    const auto result = together({start_of({1, 3}), start_of({2, 4, 6})});
    EXPECT_NEAR(result.launches->variance_within_ns2, 10.0 / 3, 1e-12);
    EXPECT_NEAR(result.launches->variance_between_ns2, 2 - 10.0 / 3 * 5 / 12, 1e-12);
}

TEST(Together, FindsNoVarianceBetweenStartsThatNoiseExplains) {
    const auto result = together({start_of({1, 2, 9}), start_of({1, 3, 8}), start_of({2, 1, 9})});
    EXPECT_GT(result.launches->variance_within_ns2, 10);
    EXPECT_EQ(result.launches->variance_between_ns2, 0);
}

TEST(Together, HasTheMessageRateOfItsValue) {
    std::vector<PointResult> launches;
    for (const double time_ns : {100.0, 250.0, 200.0}) {
        launches.push_back(start_of({time_ns}));
        launches.back().key.operation = "message-rate";
        launches.back().key.procs = 4;
        put_message_rate(launches.back());
    }
    EXPECT_DOUBLE_EQ(launches.front().measures.at(0).value, 2 * 1e9 / 100) << "of two pairs";
    auto result = together(launches);
    ASSERT_EQ(result.measures.size(), 1U);
    EXPECT_DOUBLE_EQ(result.measures[0].value, 2 * 1e9 / 200);
    EXPECT_FALSE(result.measures[0].ci95) << "the interval of the time reaches 0";
    result.value_ns->ci95 = stats::Interval{190, 210};
    include_other_runs(result, {.value = 1e-4});
    ASSERT_TRUE(result.measures.at(0).ci95);
    EXPECT_DOUBLE_EQ(result.measures[0].ci95->high, 2 * 1e9 / result.value_ns->ci95->low);
    EXPECT_LT(result.value_ns->ci95->low, 190);
}

TEST(Together, HasTheMediansOfOtherMeasures) {
    std::vector<PointResult> launches;
    for (const double share : {0.9, 0.5, 0.6}) {
        launches.push_back(start_of({10}));
        launches.back().measures = {
            {.kind = MeasureKind::compute_share,
             .value = share,
             .ci95 = {},
             .extremes = ShareExtremes{.least = {.rank = 1, .share = share}, .most = {}}},
            {.kind = MeasureKind::allreduce_share, .value = 1 - share, .ci95 = {}}};
    }
    const auto result = together(launches);
    ASSERT_EQ(result.measures.size(), 2U);
    EXPECT_DOUBLE_EQ(result.measures[0].value, 0.6);
    EXPECT_DOUBLE_EQ(result.measures[0].extremes->least.share, 0.6);
    ASSERT_TRUE(result.measures[0].ci95);
    EXPECT_LT(result.measures[0].ci95->low, 0.5);
    EXPECT_DOUBLE_EQ(result.measures[1].value, 0.4);
}

TEST(Together, WarnsOfAStartThatFailed) {
    const auto result = together({failed_start("rank 1 died"), start_of({10}), start_of({14})});
    EXPECT_EQ(result.status, journal::PointStatus::ok);
    EXPECT_THAT(result.warnings,
                ElementsAre(PointWarning{LaunchesFailed{.failed = 1, .of = 3, .reason = "rank 1 died"}}));
    EXPECT_THAT(result.launches->values_ns, ElementsAre(10, 14));
}

TEST(Together, WarnsOfAStartWithoutValidRepetitions) {
    PointResult empty = failed_start("");
    empty.status = journal::PointStatus::ok;
    const auto result = together({start_of({10}), empty, start_of({14})});
    EXPECT_THAT(result.warnings, ElementsAre(PointWarning{LaunchesFailed{.failed = 1, .of = 3}}));
}

TEST(Together, OfOneMeasuredStartIsThatStart) {
    const auto result = together({start_of({1, 6, 2, 5, 3, 4}), failed_start("why")});
    EXPECT_FALSE(result.launches);
    EXPECT_DOUBLE_EQ(result.time_ns->median, 3.5);
    EXPECT_TRUE(result.time_ns->median_ci95) << "by its own repetitions";
    EXPECT_THAT(result.warnings,
                ElementsAre(PointWarning{LaunchesFailed{.failed = 1, .of = 2, .reason = "why"}}));
    EXPECT_EQ(together({start_of({7})}).warnings.size(), 0U);
}

TEST(Together, OfFailedStartsIsTheFirstOfThem) {
    const auto result = together({failed_start("first"), failed_start("second")});
    EXPECT_EQ(result.status, journal::PointStatus::failed);
    EXPECT_EQ(result.reason, "first");
    EXPECT_FALSE(result.time_ns);
}

TEST(Together, WarnsOnceOfEachKindAndNotOfWhatOneLaunchLacks) {
    auto first = start_of({10});
    auto second = start_of({12});
    const PointWarning limit{LimitReached{"a"}};
    const PointWarning skew{StartedApart{5}};
    first.warnings = {limit, {NoInterval{.reps = 1, .few = true}}};
    second.warnings = {{LimitReached{"the same, with other figures"}}, skew};
    EXPECT_THAT(together({first, second}).warnings, ElementsAre(limit, skew));
}

TEST(Together, AddsTracesUpAndWarnsOnceOfWhatWasDropped) {
    auto first = start_of({1, 2, 3});
    auto second = start_of({1, 2, 3});
    put_trace(first, store::TraceRow{.every = 2, .events = 100, .dropped = 0, .stored_bytes = 300});
    put_trace(second, store::TraceRow{.every = 2, .events = 50, .dropped = 10, .stored_bytes = 200});
    EXPECT_TRUE(first.warnings.empty());
    const auto result = together({first, second, start_of({1, 2, 3})});
    EXPECT_EQ(result.trace, (store::TraceRow{.every = 2, .events = 150, .dropped = 10, .stored_bytes = 500}));
    EXPECT_THAT(
        result.warnings,
        ElementsAre(Field(&PointWarning::facts, PointWarningFacts(EventsDropped{.dropped = 10, .of = 160}))));
    EXPECT_FALSE(together({start_of({1}), start_of({1})}).trace);
}

TEST(Together, RatesTheValueOfAllStarts) {
    const auto result = together({start_of({100}), start_of({400}), start_of({200})});
    EXPECT_NEAR(*result.rate_bytes_per_s, 5e9, 1) << "1000 bytes in 200 ns";
}

TEST(Together, TakesTheWorstOfTheClocksAndTheMiddleOfTheSkews) {
    std::vector<PointResult> starts{start_of({10}), start_of({12}), start_of({11})};
    EXPECT_FALSE(together(starts).clock_bound_ns);
    EXPECT_FALSE(together(starts).start_skew_median_ns);
    const std::vector<double> bounds{5, 90, 7};
    const std::vector<double> skews{30, 1'000, 20};
    for (std::size_t i = 0; i < 3; ++i) {
        starts[i].clock_bound_ns = bounds[i];
        starts[i].start_skew_median_ns = skews[i];
        starts[i].invalid_reps = 2;
    }
    const auto result = together(starts);
    EXPECT_EQ(result.clock_bound_ns, 90);
    EXPECT_EQ(result.start_skew_median_ns, 30);
    EXPECT_EQ(result.invalid_reps, 6);
}

/// A launch that was disturbed, with these times, whether or not enough of them were not.
PointResult disturbed_start(const std::vector<double>& times, bool sound, std::int64_t set_aside) {
    auto result = start_of(times);
    result.sound = sound;
    result.set_aside = set_aside;
    result.warnings.push_back({Disturbed{}});
    return result;
}

TEST(Together, LeavesOutLaunchesThatWereDisturbedAllTheTime) {
    const auto result = together({start_of({10}), disturbed_start({900, 950}, false, 0),
                                  disturbed_start({12}, true, 5), start_of({14})});
    EXPECT_DOUBLE_EQ(result.value_ns->value, 12);
    ASSERT_TRUE(result.launches);
    EXPECT_EQ(result.launch_counts.used, 3U);
    EXPECT_EQ(result.launch_counts.set_aside, 1U);
    EXPECT_EQ(result.launch_counts.all(), 4U);
    EXPECT_DOUBLE_EQ(result.time_ns->max, 950) << "the largest is that of all, used or not";
    EXPECT_DOUBLE_EQ(result.time_ns->min, 10);
    EXPECT_EQ(result.reps, 3);
    EXPECT_EQ(result.set_aside, 7) << "five of one launch and the two of another";
    EXPECT_TRUE(result.sound);
    EXPECT_TRUE(result.disturbed());
}

TEST(Together, TakesDisturbedLaunchesWhereThereAreNoOthers) {
    const auto result = together({start_of({10}), disturbed_start({900}, false, 0)});
    EXPECT_EQ(result.launch_counts.set_aside, 0U);
    EXPECT_EQ(result.launch_counts.used, 2U);
    EXPECT_FALSE(result.sound);
}

TEST(WholePoint, HasTheRepetitionsOfTheLaunchesThatCount) {
    const auto whole =
        whole_point({{.result = start_of({10}), .counted = {.times = {10}}},
                     {.result = disturbed_start({900}, false, 0), .counted = {.times = {900}}},
                     {.result = failed_start("why")},
                     {.result = disturbed_start({12}, true, 5), .counted = {.times = {12}, .disturbed = 5}}});
    ASSERT_EQ(whole.counted.size(), 2U);
    EXPECT_THAT(whole.counted[0].times, ElementsAre(10));
    EXPECT_THAT(whole.counted[1].times, ElementsAre(12));
    EXPECT_EQ(whole.counted[1].disturbed, 5U);
    EXPECT_EQ(whole.result.launch_counts.failed, 1U);
    EXPECT_EQ(whole.result.launch_counts.set_aside, 1U);
    EXPECT_DOUBLE_EQ(whole.result.time_ns->median, 11);
}

TEST(WholePoint, OfOneLaunchIsThatLaunch) {
    const auto failed = whole_point({{.result = failed_start("why"), .counted = {.times = {3}}}});
    EXPECT_TRUE(failed.counted.empty());
    EXPECT_EQ(failed.result.reason, "why");
    const auto one =
        whole_point({{.result = failed_start("why")}, {.result = start_of({7}), .counted = {.times = {7}}}});
    ASSERT_EQ(one.counted.size(), 1U);
    EXPECT_EQ(one.result.launch_counts.used, 1U);
    EXPECT_EQ(one.result.launch_counts.all(), 2U);
}

TEST(ScatterOfLaunches, IsTheMiddleOfThePointsRelativeVariances) {
    const auto point = together({start_of({100}), start_of({110}), start_of({121})});
    const auto wild = together({start_of({1}), start_of({10}), start_of({1'000})});
    const auto one = start_of({5});
    EXPECT_FALSE(scatter_of_launches(std::vector{&one}));
    // Logarithms 0.0953 apart have a variance of 0.0953^2; the middle of chi-squared of two degrees is
    // 2 ln 2.
    const auto found = scatter_of_launches(std::vector{&point, &point, &wild, &one});
    ASSERT_TRUE(found);
    EXPECT_NEAR(*found, std::log(1.1) / std::sqrt(std::log(2)), 1e-9);
}

TEST(Levels, AreFoundWhereLaunchesTakeOneOfTwoValues) {
    std::vector<PointResult> launches;
    for (const double value : {1390, 1560, 1392, 1565, 1391, 1393, 1558, 1389, 1561}) {
        launches.push_back(start_of({value - 1, value, value + 1}));
    }
    const auto levels = together(launches).launches->levels;
    ASSERT_TRUE(levels);
    EXPECT_EQ(levels->low_launches, 5U);
    EXPECT_EQ(levels->high_launches, 4U);
    EXPECT_DOUBLE_EQ(levels->low_ns, 1391);
    EXPECT_DOUBLE_EQ(levels->high_ns, 1560.5);
}

TEST(Levels, AreNotFoundInNoiseNorInOneOutlier) {
    const auto levels_of = [](const std::vector<double>& values) {
        std::vector<PointResult> launches;
        for (const double value : values) {
            launches.push_back(start_of({value}));
        }
        return together(launches).launches->levels;
    };
    EXPECT_FALSE(levels_of({100, 103, 106, 109, 112, 115}));
    EXPECT_FALSE(levels_of({100, 100.1, 99.9, 100, 150})) << "one launch is no level";
    EXPECT_FALSE(levels_of({100, 100.01, 101, 101.01, 101})) << "one percent does not matter";
    EXPECT_FALSE(levels_of({100, 150, 100, 150})) << "four are too few";
}

TEST(OtherRuns, WidenIntervalsAsSquares) {
    auto point = together({start_of({99, 100, 101}), start_of({109, 110, 111}), start_of({104, 105, 106})});
    const auto before = *point.time_ns->median_ci95;
    include_other_runs(point, {.value = 0.01});
    const auto after = *point.time_ns->median_ci95;
    constexpr double between = 1.959963984540054 * 0.1 * 105;
    EXPECT_NEAR(105 - after.low, std::hypot(105 - before.low, between), 1e-9);
    EXPECT_NEAR(after.high - 105, std::hypot(before.high - 105, between), 1e-9);
    EXPECT_DOUBLE_EQ(point.launches->median_ci95.low, before.low) << "over launches alone";
    EXPECT_DOUBLE_EQ(point.value_ns->ci95->low, after.low);
}

TEST(OtherRuns, AreNotAddedToTheIntervalOfOneLaunch) {
    auto point = start_of({99, 100, 101, 99, 100, 101, 99, 100, 101});
    const auto before = *point.time_ns->median_ci95;
    include_other_runs(point, {.value = 0.01});
    EXPECT_EQ(point.time_ns->median_ci95->low, before.low);
}

}  // namespace
}  // namespace fathom::analysis
