#include "analysis/point_result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
    sample.put(0, {block_of(0, 0, samples_of({10, 20, 30, 40, 50, 60, 70})),
                   block_of(1, 0, samples_of({11, 11, 99, 11, 11, 11, 11})),
                   block_of(2, 0, samples_of({5, 5, 5, 5, 5, 5, 75}))});
    const auto result = result_of(sample);
    // maxima: 11 20 99 40 50 60 75
    ASSERT_TRUE(result.time_ns);
    EXPECT_EQ(result.reps, 7);
    EXPECT_EQ(result.invalid_reps, 0);
    EXPECT_DOUBLE_EQ(result.time_ns->median, 50);
    EXPECT_DOUBLE_EQ(result.time_ns->min, 11);
    EXPECT_DOUBLE_EQ(result.time_ns->max, 99);
    EXPECT_NEAR(result.time_ns->mean, 355.0 / 7, 1e-12);
    EXPECT_THAT(result.warnings, IsEmpty());
    EXPECT_EQ(result.status, "ok");
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

TEST(PointResult, WarnsOfTooFewRepetitions) {
    SampleStore sample({point_spec(0, "bcast", 8), point_spec(1, "bcast", 16)});
    sample.put(0, {block_of(0, 0, samples_of({1, 2, 3, 4, 5}))});
    sample.put(1, {block_of(0, 0, samples_of({1, 2, 3, 4, 5, 6}))});
    EXPECT_THAT(result_of(sample, 0).warnings,
                ElementsAre("too few repetitions for a 95 % interval; give --reps 6 or more"));
    EXPECT_THAT(result_of(sample, 1).warnings, IsEmpty());
}

TEST(PointResult, MapsEveryStoredStatusToOneOfTheContract) {
    SampleStore sample({point_spec(0, "bcast", 1), point_spec(1, "bcast", 2), point_spec(2, "bcast", 3),
                        point_spec(3, "bcast", 4), point_spec(4, "bcast", 5)});
    sample.store.mark_point(sample.run, 1, "pending", "interrupted", false);
    sample.store.mark_point(sample.run, 2, "died", "rank 1 died (signal 9)", true);
    sample.put(3, {}, "failed", "wrong data");
    sample.put(4, {}, "unavailable", "needs at least 2 processes");
    const auto result = evaluate(sample.store, sample.store.find_run("last"));
    std::vector<std::pair<std::string, std::string>> found;
    for (const auto& point : result.points) {
        found.emplace_back(point.status, point.reason);
        EXPECT_FALSE(point.time_ns);
    }
    EXPECT_THAT(found, ElementsAre(::testing::Pair("unavailable", "not measured yet"),
                                   ::testing::Pair("failed", "interrupted"),
                                   ::testing::Pair("failed", "rank 1 died (signal 9)"),
                                   ::testing::Pair("failed", "wrong data"),
                                   ::testing::Pair("unavailable", "needs at least 2 processes")));
}

TEST(RunResult, HasEveryPointInOrderAndTheWarningsOfTheRun) {
    SampleStore sample({point_spec(0, "pingpong", 8), point_spec(1, "barrier", 0)});
    sample.store.put_warning(sample.run, {"note", "virtual", "h: virtual", "compare minima"});
    const auto result = evaluate(sample.store, sample.store.find_run("last"));
    EXPECT_EQ(result.run.id, sample.run);
    ASSERT_EQ(result.points.size(), 2U);
    EXPECT_EQ(result.points[0].position, 0);
    EXPECT_EQ(result.points[0].operation, "pingpong");
    EXPECT_EQ(result.points[0].pattern, "first-last");
    EXPECT_EQ(result.points[0].size, Bytes{8});
    EXPECT_EQ(result.points[1].operation, "barrier");
    EXPECT_EQ(result.points[1].procs, 2);
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
    EXPECT_THAT(before.warnings, ::testing::Not(::testing::Contains(::testing::HasSubstr("drift"))));
    EXPECT_THAT(within.warnings,
                ::testing::Contains(::testing::HasSubstr("the drift of rank 1's clock changed from +10.0")));
    EXPECT_GE(*within.clock_bound_ns, 49'000) << "which leaves much open";
}

}  // namespace
}  // namespace fathom::analysis
