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

}  // namespace
}  // namespace fathom::analysis
