#include <numeric>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/run/run_result.hpp"
#include "base/test_support.hpp"
#include "stats/change_points/change_point_search.hpp"
#include "store/sample_clock.hpp"
#include "store/sample_store.hpp"

namespace fathom::analysis {
namespace {

using testing::block_of;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::point_spec;
using testing::samples_of;
using testing::SampleStore;

PointResult result_of(const SampleStore& sample, std::size_t position = 0) {
    return evaluate(sample.store, sample.store.points(sample.run).at(position));
}

TEST(PointResult, CountsARepetitionAsTheSlowestRanksTime) {
    SampleStore sample({point_spec(0, "bcast", 1000, 3)});
    sample.put(0, {block_of(0, 0, samples_of({60, 10, 70, 20, 50, 30, 40})),
                   block_of(1, 0, samples_of({11, 11, 99, 11, 11, 11, 11})),
                   block_of(2, 0, samples_of({5, 5, 5, 5, 5, 5, 75}))});
    const auto result = result_of(sample);
    // maxima: 60 11 99 20 50 30 75
    ASSERT_TRUE(result.time_ns);
    EXPECT_EQ(result.reps, 7);
    EXPECT_EQ(result.invalid_reps, 0);
    EXPECT_DOUBLE_EQ(result.time_ns->median, 50);
    EXPECT_DOUBLE_EQ(result.time_ns->min, 11);
    EXPECT_DOUBLE_EQ(result.time_ns->max, 99);
    EXPECT_NEAR(result.time_ns->mean, 345.0 / 7, 1e-12);
    EXPECT_THAT(result.warnings, IsEmpty());
    EXPECT_EQ(result.status, journal::PointStatus::ok);
    EXPECT_EQ(result.datatype, "float");
}

TEST(PointResult, TakesBlocksOfSeveralBatchesTogether) {
    SampleStore sample({point_spec(0, "bcast", 1000)});
    sample.put(0, {block_of(0, 0, samples_of({1, 2, 3})), block_of(1, 0, samples_of({2, 1, 1})),
                   block_of(0, 3, samples_of({4, 5, 6})), block_of(1, 3, samples_of({1, 9, 1}))});
    const auto result = result_of(sample);  // 2 2 3 4 9 6
    EXPECT_EQ(result.reps, 6);
    EXPECT_DOUBLE_EQ(result.time_ns->median, 3.5);
    EXPECT_DOUBLE_EQ(result.time_ns->max, 9);
}

TEST(PointResult, HalvesTheFirstRanksRoundTripForAPair) {
    SampleStore sample({point_spec(0, "pingpong", 1000, 4)});
    sample.put(0,
               {block_of(0, 0, samples_of({100, 201, 300})), block_of(3, 0, samples_of({9000, 9000, 9000}))});
    const auto result = result_of(sample);
    EXPECT_DOUBLE_EQ(result.time_ns->median, 100.5);
    EXPECT_DOUBLE_EQ(result.time_ns->min, 50);
    EXPECT_DOUBLE_EQ(result.time_ns->max, 150);
    EXPECT_EQ(result.reps, 3);
}

TEST(PointResult, CountsInvalidRepetitionsAndDoesNotUseThem) {
    SampleStore sample({point_spec(0, "bcast", 1000)});
    auto first = samples_of({10, 9999, 30, 40});
    auto second = samples_of({1, 1, 1, 8888});
    first[1].valid = false;
    second[3].valid = false;
    sample.put(0, {block_of(0, 0, first), block_of(1, 0, second)});
    const auto result = result_of(sample);
    EXPECT_EQ(result.reps, 2);
    EXPECT_EQ(result.invalid_reps, 2);
    EXPECT_EQ(result.time_ns->count, 2U);
    EXPECT_DOUBLE_EQ(result.time_ns->max, 30);
}

TEST(PointResult, HasNoTimeIfAllRepetitionsAreInvalid) {
    SampleStore sample({point_spec(0, "bcast", 1000)});
    auto samples = samples_of({10, 20});
    samples[0].valid = samples[1].valid = false;
    sample.put(0, {block_of(0, 0, samples)});
    const auto result = result_of(sample);
    EXPECT_EQ(result.reps, 0);
    EXPECT_EQ(result.invalid_reps, 2);
    EXPECT_FALSE(result.time_ns);
    EXPECT_FALSE(result.rate_bytes_per_s);
}

TEST(PointResult, RatesComeFromTheMedian) {
    SampleStore sample({point_spec(0, "bcast", 1000), point_spec(1, "allreduce", 1000),
                        point_spec(2, "barrier", 0), point_spec(3, "bcast", 0)});
    for (int position = 0; position < 4; ++position) {
        sample.put(position, {block_of(0, 0, samples_of({400, 500, 60'000}))});
    }
    EXPECT_DOUBLE_EQ(result_of(sample, 0).rate_bytes_per_s.value(), 2e9);
    EXPECT_DOUBLE_EQ(result_of(sample, 1).rate_bytes_per_s.value(), 2e9);  // 2 * 1000 * (2-1)/2 bytes
    EXPECT_FALSE(result_of(sample, 2).rate_bytes_per_s) << "a barrier has no rate";
    EXPECT_FALSE(result_of(sample, 3).rate_bytes_per_s) << "no bytes, no rate";
}

TEST(PointResult, WarnsOfAMissingInterval) {
    SampleStore sample({point_spec(0, "bcast", 8), point_spec(1, "bcast", 16)});
    sample.put(0, {block_of(0, 0, samples_of({1, 2, 3, 4, 5}))});
    sample.put(1, {block_of(0, 0, samples_of({1, 6, 2, 5, 3, 4}))});
    EXPECT_THAT(result_of(sample, 0).warnings, ElementsAre(PointWarning{NoInterval{.reps = 5, .few = true}}));
    EXPECT_THAT(result_of(sample, 1).warnings, IsEmpty());
}

TEST(PointResult, TellsCorrelatedRepetitionsFromFewOnes) {
    SampleStore sample({point_spec(0, "bcast", 8)});
    std::vector<std::int64_t> rising(60);
    std::iota(rising.begin(), rising.end(), 1'000);
    sample.put(0, {block_of(0, 0, samples_of(rising))});
    EXPECT_THAT(result_of(sample).warnings, ElementsAre(PointWarning{NoInterval{.reps = 60, .few = false}}));
}

TEST(PointResult, MapsEveryStoredStatusToOneOfTheContract) {
    SampleStore sample({point_spec(0, "bcast", 1), point_spec(1, "bcast", 2), point_spec(2, "bcast", 3),
                        point_spec(3, "bcast", 4), point_spec(4, "bcast", 5)});
    sample.store.mark_point(sample.run, 1, journal::PointStatus::pending, "interrupted", false);
    sample.store.mark_point(sample.run, 2, journal::PointStatus::died, "rank 1 died (signal 9)", true);
    sample.put(3, {}, journal::PointStatus::failed, "wrong data");
    sample.put(4, {}, journal::PointStatus::unavailable, "needs at least 2 processes");
    const auto result = evaluate(sample.store, sample.store.find_run("last"));
    std::vector<std::pair<std::string, std::string>> found;
    for (const auto& point : result.points) {
        found.emplace_back(to_text(point.status), point.reason);
        EXPECT_FALSE(point.time_ns);
    }
    EXPECT_EQ(result.points[0].no_times, NoTimes::not_measured_yet);
    EXPECT_FALSE(result.points[1].no_times) << "its reason is stored";
    EXPECT_THAT(found,
                ElementsAre(::testing::Pair("unavailable", ""), ::testing::Pair("failed", "interrupted"),
                            ::testing::Pair("failed", "rank 1 died (signal 9)"),
                            ::testing::Pair("failed", "wrong data"),
                            ::testing::Pair("unavailable", "needs at least 2 processes")));
}

TEST(RunResult, HasEveryPointInOrderAndTheWarningsOfTheRun) {
    SampleStore sample({point_spec(0, "pingpong", 8), point_spec(1, "barrier", 0)});
    sample.store.put_warning(sample.run, {store::Severity::note, "virtual", "h: virtual", "compare minima"});
    const auto result = evaluate(sample.store, sample.store.find_run("last"));
    EXPECT_EQ(result.run.id, sample.run);
    ASSERT_EQ(result.points.size(), 2U);
    EXPECT_EQ(result.points[0].position, 0);
    EXPECT_EQ(result.points[0].key.operation, "pingpong");
    EXPECT_EQ(result.points[0].key.pattern, "first-last");
    EXPECT_EQ(result.points[0].key.size, Bytes{8});
    EXPECT_EQ(result.points[1].key.operation, "barrier");
    EXPECT_EQ(result.points[1].key.procs, 2);
    ASSERT_EQ(result.warnings.size(), 1U);
    EXPECT_EQ(result.warnings[0].code, "virtual");
}

TEST(StartSkew, IsTakenOnTheGlobalClock) {
    SampleStore sample({point_spec(0, "bcast", 8)});
    // Rank 1 is 5000 ns ahead at first and gains 10 ns in 1000: repetitions start together but for 7 ns.
    const std::vector<journal::ClockSync> syncs{
        testing::sync_of(0, 0, 0, 0, 0), testing::sync_of(0, 1, 5'000, 5'000, 4),
        testing::sync_of(1, 0, 100'000, 0, 0), testing::sync_of(1, 1, 106'000, 6'000, 8)};
    sample.store.put(sample.job, syncs);
    std::vector<journal::Sample> first;
    std::vector<journal::Sample> second;
    for (std::int64_t i = 1; i <= 7; ++i) {
        const std::int64_t global = i * 10'000;
        first.push_back({.start = {global}, .duration = {100}, .valid = true});
        second.push_back({.start = {global + 7 + 5'000 + i * 100}, .duration = {100}, .valid = true});
    }
    sample.put(0, {block_of(0, 0, first), block_of(1, 0, second)});
    const auto result = result_of(sample);
    ASSERT_TRUE(result.start_skew_median_ns);
    EXPECT_NEAR(*result.start_skew_median_ns, 7, 1);
    EXPECT_GE(*result.clock_bound_ns, 4);
    EXPECT_LE(*result.clock_bound_ns, 8);
    EXPECT_THAT(result.warnings, IsEmpty());
}

TEST(StartSkew, IsNotClaimedWithoutAGlobalClock) {
    SampleStore sample({point_spec(0, "bcast", 8), point_spec(1, "bcast", 8, 1)});
    sample.put(0, {block_of(0, 0, samples_of({1, 2})), block_of(1, 0, samples_of({1, 2}))});
    sample.put(1, {block_of(0, 0, samples_of({1, 2}))});
    EXPECT_FALSE(result_of(sample).start_skew_median_ns);
    EXPECT_FALSE(result_of(sample).clock_bound_ns);
    EXPECT_EQ(result_of(sample, 1).start_skew_median_ns, 0) << "one process starts with itself";
}

TEST(StartSkew, OfSimulatedRanksNeedsNoSynchronisation) {
    SampleStore sample({point_spec(0, "bcast", 8)});
    sample.store.put(sample.job, journal::JobInfo{2, true, "smpi", "SimGrid 3", "3.1", "wtime", "", {}});
    sample.put(0, {block_of(0, 0, samples_of({1, 2})), block_of(1, 0, samples_of({1, 2}))});
    EXPECT_EQ(result_of(sample).start_skew_median_ns, 0);
    EXPECT_EQ(result_of(sample).clock_bound_ns, 0);
}

TEST(StartSkew, ComesWithAWarningWhereTheDriftChanged) {
    SampleStore sample({point_spec(0, "bcast", 8), point_spec(1, "bcast", 8)});
    constexpr std::int64_t second = 1'000'000'000;
    std::vector<journal::ClockSync> syncs;
    // 10 ppm for two seconds, then 60 ppm.
    const std::array<std::int64_t, 4> offsets{0, 10'000, 20'000, 80'000};
    for (int i = 0; i < 4; ++i) {
        syncs.push_back(testing::sync_of(i, 0, i * second, 0, 0));
        syncs.push_back(testing::sync_of(i, 1, i * second, offsets.at(static_cast<std::size_t>(i)), 100));
    }
    sample.store.put(sample.job, syncs);
    const auto at = [](std::int64_t time) {
        return std::vector<journal::Sample>{{.start = {time}, .duration = {5}, .valid = true}};
    };
    sample.put(0, {block_of(0, 0, at(second / 2)), block_of(1, 0, at(second / 2))});
    sample.put(1, {block_of(0, 0, at(5 * second / 2)), block_of(1, 0, at(5 * second / 2))});
    const auto before = result_of(sample, 0);
    const auto within = result_of(sample, 1);
    EXPECT_LT(*before.clock_bound_ns, 2'000);
    EXPECT_THAT(before.warnings, ::testing::Not(::testing::Contains(
                                     ::testing::Property(&PointWarning::kind, PointWarningKind::clock))));
    ASSERT_EQ(within.warnings.front().kind(), PointWarningKind::clock);
    const auto& drift = std::get<DriftChanged>(within.warnings.front().facts);
    EXPECT_EQ(drift.rank, 1);
    EXPECT_NEAR(drift.before_ppm, 10, 0.1);
    EXPECT_NEAR(drift.after_ppm, 60, 0.1);
    EXPECT_GE(*within.clock_bound_ns, 49'000) << "which leaves much open";
}

RunResult run_of(const SampleStore& sample, const View& view = {}) {
    return evaluate(sample.store, sample.store.find_run("last"), view);
}

std::vector<std::string> names(const std::vector<PointResult>& points) {
    std::vector<std::string> found;
    for (const auto& point : points) {
        found.push_back(fmt::format("{} {} {}", point.key.operation, point.key.procs, point.key.size.count));
    }
    return found;
}

TEST(PointResult, HasWhatWasSubtracted) {
    SampleStore sample({point_spec(0, "bcast", 1000)});
    sample.store.put(sample.job, journal::RankInfo{0, "h0", 10, "0", 40});
    sample.store.put(sample.job, journal::RankInfo{1, "h0", 11, "1", 60});
    sample.put(0, {block_of(0, 0, samples_of({140, 150, 160}))});
    const auto result = result_of(sample);
    EXPECT_EQ(result.empty_ns, 60);
    EXPECT_DOUBLE_EQ(result.time_ns->median, 110);
    EXPECT_DOUBLE_EQ(result.rate_bytes_per_s.value(), 1000 / 110e-9);
}

TEST(PointResult, HasTheValueAskedForAndTheUsualNumbers) {
    SampleStore sample({point_spec(0, "bcast", 1000)});
    sample.put(0, {block_of(0, 0, samples_of({100, 200, 600})), block_of(1, 0, samples_of({300, 100, 100}))});
    const auto usual = result_of(sample);
    EXPECT_EQ(usual.over_ranks, plan::OverRanks::max);
    EXPECT_EQ(usual.over_reps, "median");
    EXPECT_DOUBLE_EQ(usual.value_ns->value, 300);
    const auto other = evaluate(
        sample.store, sample.store.point(sample.run, 0),
        {.over_ranks = plan::OverRanks::mean, .over_reps = stats::Reduction::parse("max"), .ranks = {}});
    EXPECT_EQ(other.over_ranks, plan::OverRanks::mean);
    EXPECT_EQ(other.over_reps, "max");
    EXPECT_DOUBLE_EQ(other.value_ns->value, 350);
    EXPECT_DOUBLE_EQ(other.time_ns->median, 200) << "which is that of the same repetitions";
    EXPECT_DOUBLE_EQ(other.rate_bytes_per_s.value(), 1000 / 350e-9) << "rates come from the value";
}

TEST(PointResult, HasEveryRankWhereEachCounts) {
    SampleStore sample({point_spec(0, "bcast", 1000)});
    sample.put(0, {block_of(0, 0, samples_of({100, 200, 600})), block_of(1, 0, samples_of({300, 100, 110}))});
    const auto result = evaluate(
        sample.store, sample.store.point(sample.run, 0),
        {.over_ranks = plan::OverRanks::each, .over_reps = stats::Reduction::parse("min"), .ranks = {}});
    ASSERT_EQ(result.by_rank.size(), 2U);
    EXPECT_EQ(result.by_rank[1].rank, 1);
    EXPECT_DOUBLE_EQ(result.by_rank[1].value_ns.value, 100);
    EXPECT_DOUBLE_EQ(result.by_rank[1].time_ns.median, 110);
    EXPECT_DOUBLE_EQ(result.value_ns->value, 200) << "of the slowest ranks' times";
    EXPECT_THAT(result_of(sample).by_rank, IsEmpty());
}

TEST(PointResult, SaysHowItWasMeasured) {
    auto spec = point_spec(0, "bcast", 1000);
    spec.key.scheme = "as-imb";
    spec.purpose = plan::purpose_refine;
    SampleStore sample({spec});
    sample.put({.index = 0,
                .status = journal::PointStatus::ok,
                .start = "window",
                .warmup_calls = 21,
                .calls = 100,
                .cache = "cold"},
               {block_of(0, 0, samples_of({1'000, 2'000, 3'000}))}, sample.job);
    const auto result = result_of(sample);
    EXPECT_EQ(result.key.scheme, "as-imb");
    EXPECT_EQ(result.purpose, "refine");
    EXPECT_EQ(result.start, "window");
    EXPECT_EQ(result.cache, plan::Cache::cold);
    EXPECT_EQ(result.calls, 100);
    EXPECT_EQ(result.warmup_calls, 21);
    EXPECT_DOUBLE_EQ(result.time_ns->median, 20);
}

TEST(RunResult, LooksAtSamplesAsItsPlanSays) {
    SampleStore sample({point_spec(0, "bcast", 8), point_spec(1, "pingpong", 8)}, "sample",
                       "over_ranks = \"mean\"\nover_reps = \"max\"\n");
    for (const int position : {0, 1}) {
        sample.put(position,
                   {block_of(0, 0, samples_of({100, 200})), block_of(1, 0, samples_of({300, 140}))});
    }
    const auto result = run_of(sample);
    EXPECT_EQ(result.points[0].over_ranks, plan::OverRanks::mean);
    EXPECT_DOUBLE_EQ(result.points[0].value_ns->value, 200);
    EXPECT_DOUBLE_EQ(result.points[1].value_ns->value, 100) << "half a round trip";
    const auto other = run_of(sample, {.over_ranks = plan::OverRanks::root, .over_reps = {}, .ranks = {}});
    EXPECT_EQ(other.points[0].over_ranks, plan::OverRanks::root);
    EXPECT_EQ(other.points[0].over_reps, "max") << "where the view says nothing, the plan does";
    EXPECT_DOUBLE_EQ(other.points[0].value_ns->value, 200);
}

TEST(RunResult, LooksAtPointsOfASchemeAsTheSchemeDoes) {
    auto own = point_spec(0, "bcast", 8);
    own.key.scheme = "fathom";
    auto osu = point_spec(1, "bcast", 8);
    osu.key.scheme = "as-osu";
    auto mpptest = point_spec(2, "bcast", 8);
    mpptest.key.scheme = "as-mpptest";
    SampleStore sample({own, osu, mpptest}, "sample", "compare_schemes = true\n");
    for (const int position : {0, 1, 2}) {
        sample.put(position, {block_of(0, 0, samples_of({100, 200, 600})),
                              block_of(1, 0, samples_of({300, 100, 100}))});
    }
    const auto points = run_of(sample).points;
    ASSERT_EQ(points.size(), 3U) << "they are three points, not one measured three times";
    EXPECT_DOUBLE_EQ(points[0].value_ns->value, 300) << "median of the slowest";
    EXPECT_NEAR(points[1].value_ns->value, 700.0 / 3, 1e-9) << "mean of means";
    EXPECT_DOUBLE_EQ(points[2].value_ns->value, 100) << "fastest at rank 0";
}

TEST(RunResult, RefusesRanksThatTheRunDoesNotHave) {
    const SampleStore sample({point_spec(0, "bcast", 8)});
    EXPECT_EQ(testing::refusal_of([&] {
                  run_of(sample, {.over_ranks = {}, .over_reps = {}, .ranks = RankSet::parse("0,2-7")});
              }),
              "run 1 has ranks 0 to 1; --ranks says 0,2-7.");
    EXPECT_NO_THROW(run_of(sample, {.over_ranks = {}, .over_reps = {}, .ranks = RankSet::parse("0-1")}));
}

TEST(RunResult, TakesSeveralStartsOfAPointTogether) {
    SampleStore sample({point_spec(0, "bcast", 8), point_spec(1, "bcast", 16)}, "sample", "runs = 3\n");
    sample.store.add_points(sample.run, 1,
                            std::vector{point_spec(2, "bcast", 8), point_spec(3, "bcast", 16)});
    sample.store.add_points(sample.run, 2,
                            std::vector{point_spec(4, "bcast", 8), point_spec(5, "bcast", 16)});
    for (const auto& [position, time] : {std::pair{0, 10}, {1, 20}, {2, 14}, {3, 22}, {4, 12}}) {
        const std::vector<std::int64_t> times(7, time);
        sample.put(position, {block_of(0, 0, samples_of(times)), block_of(1, 0, samples_of(times))});
    }
    sample.put(5, {}, journal::PointStatus::failed, "rank 1 died");
    const auto points = run_of(sample).points;
    EXPECT_THAT(names(points), ElementsAre("bcast 2 8", "bcast 2 16"));
    EXPECT_THAT(points[0].launches->values_ns, ElementsAre(10, 14, 12));
    EXPECT_DOUBLE_EQ(points[0].time_ns->median, 12);
    EXPECT_EQ(points[0].reps, 21);
    EXPECT_EQ(points[0].position, 0);
    EXPECT_THAT(points[1].launches->values_ns, ElementsAre(20, 22));
    EXPECT_EQ(points[1].status, journal::PointStatus::ok);
    EXPECT_THAT(
        points[1].warnings,
        ::testing::Contains(PointWarning{LaunchesFailed{.failed = 1, .of = 3, .reason = "rank 1 died"}}));
}

TEST(RunResult, HasNoTrialsOfOneStart) {
    SampleStore sample({point_spec(0, "bcast", 8)});
    sample.put(0, {block_of(0, 0, samples_of({1, 2, 3}))});
    EXPECT_FALSE(run_of(sample).points[0].launches);
}

TEST(RunResult, HasPointsFoundOnTheWayWhereTheyBelong) {
    SampleStore sample({point_spec(0, "bcast", 8, 2), point_spec(1, "bcast", 1024, 2),
                        point_spec(2, "bcast", 8, 4), point_spec(3, "bcast", 1024, 4),
                        point_spec(4, "allreduce", 8, 2), point_spec(5, "allreduce", 1024, 2)});
    sample.store.add_points(sample.run, 0,
                            std::vector{point_spec(6, "allreduce", 64, 2), point_spec(7, "bcast", 512, 2),
                                        point_spec(8, "bcast", 90, 4), point_spec(9, "bcast", 90, 2),
                                        point_spec(10, "bcast", 90, 3)});
    EXPECT_THAT(
        names(run_of(sample).points),
        ElementsAre("bcast 2 8", "bcast 2 90", "bcast 2 512", "bcast 2 1024", "bcast 3 90", "bcast 4 8",
                    "bcast 4 90", "bcast 4 1024", "allreduce 2 8", "allreduce 2 64", "allreduce 2 1024"));
}

/// A run of bcast from 16 B to 64 KiB whose times jump after 1000 B.
class Switching : public ::testing::Test {
  protected:
    static constexpr std::int64_t last_below = 1'000;

    static std::int64_t time_at(std::int64_t size) {
        return size <= last_below ? 100'000 + 10 * size : 180'000 + 10 * size;
    }
    static std::vector<plan::PointSpec> coarse() {
        std::vector<plan::PointSpec> points;
        for (std::int64_t size = 16; size <= 65'536; size *= 2) {
            points.push_back(point_spec(static_cast<int>(points.size()), "bcast", size));
        }
        return points;
    }
    static void measure(SampleStore& sample, const plan::PointSpec& point) {
        const std::vector<std::int64_t> times(20, time_at(point.key.size.count));
        sample.put(point.index, {block_of(0, 0, samples_of(times)), block_of(1, 0, samples_of(times))});
    }
    static stats::CurvePoint on_curve(std::int64_t size) {
        const auto time = static_cast<double>(time_at(size));
        return {.x = size, .median = time, .low = time, .high = time};
    }
    /// Measures all points, and this many of those that a bisection requests.
    static void measure_all(SampleStore& sample, int most) {
        std::vector<stats::CurvePoint> curve;
        int index = 0;
        for (const auto& point : coarse()) {
            measure(sample, point);
            curve.push_back(on_curve(point.key.size.count));
            ++index;
        }
        stats::ChangePointSearch search(curve);
        for (int i = 0; i < most; ++i) {
            const auto size = search.next();
            if (!size) {
                break;
            }
            auto point = point_spec(index++, "bcast", *size);
            point.purpose = plan::purpose_switch;
            sample.store.add_points(sample.run, 0, std::span(&point, 1));
            measure(sample, point);
            search.add(on_curve(*size));
        }
    }
};

TEST_F(Switching, IsFoundFromStoredPointsToTheByte) {
    SampleStore sample(coarse(), "sample", "locate_switches = true\n");
    measure_all(sample, 100);
    const auto result = run_of(sample);
    EXPECT_TRUE(result.switches_sought);
    ASSERT_EQ(result.switches.size(), 1U);
    EXPECT_EQ(result.switches[0].key.operation, "bcast");
    EXPECT_EQ(result.switches[0].key.procs, 2);
    EXPECT_EQ(result.switches[0].found.last_below, last_below);
    EXPECT_EQ(result.switches[0].found.first_above, last_below + 1);
    EXPECT_TRUE(result.switches[0].found.jump);
    EXPECT_NEAR(result.switches[0].found.before, 110'000, 100);
    EXPECT_NEAR(result.switches[0].found.after, 190'000, 100);
}

TEST_F(Switching, IsAsNarrowAsThePointsThatWereMeasured) {
    SampleStore none(coarse(), "sample", "locate_switches = true\n");
    measure_all(none, 0);
    ASSERT_EQ(run_of(none).switches.size(), 1U);
    EXPECT_EQ(run_of(none).switches[0].found.last_below, 512);
    EXPECT_EQ(run_of(none).switches[0].found.first_above, 1024);
    SampleStore some(coarse(), "sample", "locate_switches = true\n");
    measure_all(some, 3);
    ASSERT_EQ(run_of(some).switches.size(), 1U);
    const auto found = run_of(some).switches[0].found;
    EXPECT_EQ(found.first_above - found.last_below, 64) << "a third of the way by halves";
    EXPECT_LE(found.last_below, last_below);
    EXPECT_GT(found.first_above, last_below);
}

TEST_F(Switching, IsNotLookedForUnlessThePlanSaysSo) {
    SampleStore sample(coarse());
    measure_all(sample, 100);
    EXPECT_FALSE(run_of(sample).switches_sought);
    EXPECT_THAT(run_of(sample).switches, IsEmpty());
}

TEST_F(Switching, IsNotSeenWherePointsFailed) {
    SampleStore sample(coarse(), "sample", "locate_switches = true\n");
    for (const auto& point : coarse()) {
        sample.put(point.index, {}, journal::PointStatus::failed, "wrong data");
    }
    EXPECT_TRUE(run_of(sample).switches_sought);
    EXPECT_THAT(run_of(sample).switches, IsEmpty());
}

plan::PointSpec of_a_newer_fathom(int index) {
    return {.index = index, .key = {.operation = "teleport", .pattern = "all", .procs = 2, .size = {8}}};
}

TEST(RunOfANewerFathom, ShowsWhatIsKnownOfItAndNamesTheRest) {
    SampleStore sample({of_a_newer_fathom(0), point_spec(1, "bcast", 8)});
    sample.put(0, {block_of(0, 0, samples_of({1, 2, 3}))});
    sample.put(1, {block_of(0, 0, samples_of({10, 20, 30}))});
    int visited = 0;
    const auto result = evaluate(sample.store, sample.store.find_run("last"), {},
                                 {.analyses = true, .visit = [&](const auto&) { ++visited; }});
    EXPECT_EQ(visited, 1);
    ASSERT_EQ(result.points.size(), 2U);
    EXPECT_EQ(result.points[0].key.operation, "bcast");
    EXPECT_DOUBLE_EQ(result.points[0].time_ns->median, 20);
    EXPECT_EQ(result.points[1].key.operation, "teleport");
    EXPECT_EQ(result.points[1].status, journal::PointStatus::unavailable);
    EXPECT_EQ(result.points[1].no_times, NoTimes::unknown_operation);
}

TEST(RunOfANewerFathom, IsLookedAtInTheUsualWayIfItsPlanCannotBeRead) {
    SampleStore sample({point_spec(0, "bcast", 8)}, "sample", "warp_factor = 9\n");
    sample.put(0, {block_of(0, 0, samples_of({10, 20, 30}))});
    const auto result = evaluate(sample.store, sample.store.find_run("last"));
    EXPECT_DOUBLE_EQ(result.points.at(0).time_ns->median, 20);
    EXPECT_THAT(result.plan_error.value_or(""), ::testing::HasSubstr("warp_factor"));
}

}  // namespace
}  // namespace fathom::analysis
