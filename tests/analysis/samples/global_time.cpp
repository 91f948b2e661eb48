#include "analysis/samples/global_time.hpp"

#include <gtest/gtest.h>

namespace fathom::analysis {
namespace {

journal::ClockSync sync_at(std::int64_t at_ns, bool shared) {
    journal::ClockSync sync;
    sync.rank = 1;
    sync.at_ns = at_ns;
    sync.low_ns = -1;
    sync.high_ns = 1;
    sync.shared = shared;
    return sync;
}

constexpr Nanoseconds second{1'000'000'000};

TEST(GlobalTime, OfASharedClockIsAsGoodLongAfterTheOnlySynchronisation) {
    const GlobalTime shared({sync_at(0, true)});
    EXPECT_EQ(shared.bound(1, second).count, 1);
    EXPECT_EQ(shared.largest_bound(1, {0}, second).count, 1);
    EXPECT_EQ(shared.global(1, second), second);
    const GlobalTime own({sync_at(0, false)});
    EXPECT_GT(own.bound(1, second).count, 1000) << "two clocks drift apart";
}

TEST(GlobalTime, OfAClockThatWasNotAlwaysSharedIsNot) {
    const GlobalTime time({sync_at(0, true), sync_at(1'000'000, false)});
    EXPECT_GT(time.bound(1, second).count, 1000);
}

}  // namespace
}  // namespace fathom::analysis
