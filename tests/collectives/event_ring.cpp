#include "collectives/event_ring.hpp"

#include <gtest/gtest.h>

namespace {

using namespace fathom;

TEST(EventRing, KeepsTheFirstAndCountsTheOthers) {
    collectives::EventRing ring(2);
    for (std::uint32_t call = 0; call < 5; ++call) {
        ring.put({.call = call, .collector = 1, .down_ns = 10, .up_ns = 20});
    }
    ASSERT_EQ(ring.events().size(), 2U);
    EXPECT_EQ(ring.events()[1].call, 1U);
    EXPECT_EQ(ring.dropped(), 3U);
    ring.clear();
    EXPECT_TRUE(ring.events().empty());
    EXPECT_EQ(ring.dropped(), 0U);
    EXPECT_EQ(ring.capacity(), 2U);
}

TEST(EventRing, AnEventTakes24Bytes) {
    EXPECT_EQ(sizeof(tree::Event), 24U);  // docs/trees.md says so
}

}  // namespace
