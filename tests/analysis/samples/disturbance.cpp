#include "analysis/samples/disturbance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/sample_clock.hpp"

namespace fathom::analysis {
namespace {

using ::testing::IsEmpty;

constexpr std::int64_t ns_per_ms = 1'000'000;

journal::Disturbance noticed(int rank, std::int64_t begin_ms, std::int64_t end_ms, std::int64_t waited_ms) {
    return {.point = 0,
            .rank = rank,
            .begin_ns = begin_ms * ns_per_ms,
            .end_ns = end_ms * ns_per_ms,
            .waited_ns = waited_ms * ns_per_ms};
}

std::vector<DisturbedTime> disturbed_in(const std::vector<journal::Disturbance>& stretches) {
    return disturbed_times(stretches, GlobalTime({}, true));
}

TEST(DisturbedTimes, AreWhatARankNoticedWithTheShareThatItWaited) {
    const auto found = disturbed_in({noticed(3, 1'000, 1'200, 50)});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].begin.count, 1'000 * ns_per_ms);
    EXPECT_EQ(found[0].end.count, 1'200 * ns_per_ms);
    EXPECT_EQ(found[0].rank, 3);
    EXPECT_DOUBLE_EQ(found[0].share, 0.25);
}

TEST(DisturbedTimes, NeedFiveMillisecondsAndTwoPercent) {
    EXPECT_THAT(disturbed_in({}), IsEmpty());
    EXPECT_THAT(disturbed_in({noticed(0, 0, 10, 4)}), IsEmpty()) << "4 ms";
    EXPECT_EQ(disturbed_in({noticed(0, 0, 10, 5)}).size(), 1U) << "5 ms";
    EXPECT_THAT(disturbed_in({noticed(0, 0, 1'000, 19)}), IsEmpty()) << "1.9 %";
    EXPECT_EQ(disturbed_in({noticed(0, 0, 1'000, 20)}).size(), 1U) << "2 %";
}

TEST(DisturbedTimes, NoMoreThanATenthOfASecondApartAreOne) {
    const auto one = disturbed_in({noticed(0, 200, 300, 10), noticed(0, 0, 100, 10)});
    ASSERT_EQ(one.size(), 1U) << "in whatever order they came";
    EXPECT_EQ(one[0].begin.count, 0);
    EXPECT_EQ(one[0].end.count, 300 * ns_per_ms);
    EXPECT_DOUBLE_EQ(one[0].share, 20.0 / 300);
    EXPECT_EQ(disturbed_in({noticed(0, 0, 100, 10), noticed(0, 201, 300, 10)}).size(), 2U);
    const auto within = disturbed_in({noticed(0, 0, 500, 50), noticed(1, 100, 200, 20)});
    ASSERT_EQ(within.size(), 1U);
    EXPECT_EQ(within[0].end.count, 500 * ns_per_ms) << "one within another does not shorten it";
}

TEST(DisturbedTimes, NameTheRankThatWaitedLongestInAll) {
    const auto found =
        disturbed_in({noticed(0, 0, 100, 30), noticed(1, 0, 100, 20), noticed(1, 100, 200, 20)});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].rank, 1) << "20 and 20 ms against 30";
    EXPECT_DOUBLE_EQ(found[0].share, 0.2);
}

TEST(DisturbedTimes, AreOnTheGlobalClock) {
    // Rank 1's clock is 10 s ahead, so that its stretch and rank 0's are the same time.
    const GlobalTime clock({testing::sync_of(0, 0, 0, 0, 0),
                            testing::sync_of(0, 1, 10'000 * ns_per_ms, 10'000 * ns_per_ms, 10)});
    const std::vector<journal::Disturbance> both{noticed(0, 0, 100, 10), noticed(1, 10'000, 10'100, 40)};
    const auto found = disturbed_times(both, clock);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].begin.count, 0);
    EXPECT_EQ(found[0].rank, 1);
    EXPECT_NEAR(found[0].share, 0.4, 1e-9);
}

/// Two launches of ten repetitions of 10 us each, one after the other.
Repetitions two_launches() {
    Repetitions all;
    for (const int launch : {0, 1}) {
        Repetitions reps;
        for (int i = 0; i < 10; ++i) {
            reps.times.push_back(10'000);
            reps.when.push_back({.start = 0, .begin = {10'000 * i}, .end = {10'000 * (i + 1)}});
        }
        add(all, std::move(reps), launch);
    }
    return all;
}

std::vector<std::size_t> places(const std::vector<bool>& marked) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < marked.size(); ++i) {
        if (marked[i]) {
            found.push_back(i);
        }
    }
    return found;
}

/// What a rank counted from and until these microseconds of a launch.
EvidenceWindow counted(int launch, std::int64_t begin_us, std::int64_t end_us,
                       const journal::Counts& counts) {
    return {.rank = 1,
            .when = {.start = launch, .begin = {begin_us * 1'000}, .end = {end_us * 1'000}},
            .counts = counts};
}

TEST(DisturbedRepetitions, AreThoseAroundWhichAPreemptionWasCounted) {
    Evidence evidence;
    evidence.counted = true;
    evidence.windows = {counted(0, 0, 20, {.preempted = 1}), counted(1, 15, 25, {.preempted = 1}),
                        counted(1, 50, 60, {.minor_faults = 3}), counted(1, 75, 76, {.waited_ns = 7})};
    const std::vector<Stretch> second_launch{{.start = 1, .begin = {0}, .end = {90'000}}};
    EXPECT_THAT(places(disturbed_repetitions(two_launches(), evidence, second_launch)),
                ::testing::ElementsAre(11, 12, 17))
        << "the first launch was not disturbed, and a page fault is no preemption";
    EXPECT_THAT(places(disturbed_repetitions(two_launches(), evidence, {})), IsEmpty());
}

TEST(DisturbedRepetitions, AreAllOfADisturbedTimeWhereNothingWasCounted) {
    const std::vector<Stretch> disturbed{{.start = 0, .begin = {75'000}, .end = {95'000}}};
    EXPECT_THAT(places(disturbed_repetitions(two_launches(), {}, disturbed)),
                ::testing::ElementsAre(7, 8, 9));
}

TEST(DisturbedRepetitions, AreAllOfALaunchWithoutAClock) {
    auto reps = two_launches();
    reps.when.clear();
    const auto marked = disturbed_repetitions(reps, {}, {{.start = 1, .begin = {0}, .end = {1}}});
    EXPECT_EQ(std::count(marked.begin(), marked.begin() + 10, true), 0);
    EXPECT_EQ(std::count(marked.begin() + 10, marked.end(), true), 10);
}

}  // namespace
}  // namespace fathom::analysis
