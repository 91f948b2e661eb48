#include "analysis/point/timeout_shares.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::analysis {
namespace {

using ::testing::ElementsAre;

constexpr double milli = 1e6;

Timeouts over_tcp(double least_rto_ns = 200 * milli) {
    Timeouts timeouts;
    timeouts.status = TimeoutStatus::unclear;
    timeouts.least_rto_ns = least_rto_ns;
    return timeouts;
}

Repetitions two_ranks() {
    Repetitions repetitions;
    repetitions.by_rank = {{0, {18 * milli, 217 * milli, 219 * milli, 417 * milli}},
                           {1, {20 * milli, 418 * milli, 618 * milli, 5e9}}};
    return repetitions;
}

TEST(TimeoutsByProcess, CountStepsFromTheShortestTimeOfAll) {
    Evidence evidence;
    evidence.hosts = {{0, "h0"}, {1, "h1"}};
    const auto found = timeouts_by_process(two_ranks(), evidence, over_tcp());
    ASSERT_TRUE(found);
    EXPECT_DOUBLE_EQ(found->least_ns, 18 * milli);
    EXPECT_DOUBLE_EQ(found->step_ns, 200 * milli);
    EXPECT_THAT(found->all.times, ElementsAre(3, 2, 1, 2));
    EXPECT_DOUBLE_EQ(found->all.share(0), 0.375);
    ASSERT_EQ(found->ranks.size(), 2U);
    EXPECT_THAT(found->ranks[0].times, ElementsAre(2, 2, 0, 0));
    EXPECT_THAT(found->ranks[1].times, ElementsAre(1, 0, 1, 2));
    EXPECT_EQ(found->ranks[1].host, "h1");
}

TEST(TimeoutsByProcess, LookAtWholeRepetitions) {
    auto halves = two_ranks();
    halves.parts = 2;
    for (auto& [rank, times] : halves.by_rank) {
        for (auto& time : times) {
            time /= 2;
        }
    }
    EXPECT_EQ(timeouts_by_process(halves, Evidence{}, over_tcp())->all.times,
              timeouts_by_process(two_ranks(), Evidence{}, over_tcp())->all.times);
}

TEST(TimeoutsByProcess, AreNoneWithoutTimesOfProcessesOrTcp) {
    EXPECT_FALSE(timeouts_by_process(Repetitions{}, Evidence{}, over_tcp()));
    EXPECT_FALSE(timeouts_by_process(two_ranks(), Evidence{}, over_tcp(0)));
    Timeouts shared_memory = over_tcp();
    shared_memory.status = TimeoutStatus::not_tcp;
    EXPECT_FALSE(timeouts_by_process(two_ranks(), Evidence{}, shared_memory));
}

}  // namespace
}  // namespace fathom::analysis
