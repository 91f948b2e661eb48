#include "analysis/samples/pair_level.hpp"

#include <gtest/gtest.h>

namespace fathom::analysis {
namespace {

TEST(PairLevel, IsTheNearestThatHoldsBoth) {
    const RankPlace here{.host = "a", .socket = 0, .numa_node = 1};
    EXPECT_EQ(level_of(here, {.host = "a", .socket = 0, .numa_node = 1}), PairLevel::same_numa_node);
    EXPECT_EQ(level_of(here, {.host = "a", .socket = 0, .numa_node = 0}), PairLevel::same_socket);
    EXPECT_EQ(level_of(here, {.host = "a", .socket = 1, .numa_node = 2}), PairLevel::other_socket);
    EXPECT_EQ(level_of(here, {.host = "b", .socket = 0, .numa_node = 1}), PairLevel::other_host);
}

TEST(PairLevel, OfARankThatIsNotBoundIsTheHost) {
    const RankPlace unbound{.host = "a"};
    EXPECT_EQ(level_of(unbound, unbound), PairLevel::same_host);
    EXPECT_EQ(level_of(unbound, {.host = "a", .socket = 0, .numa_node = 0}), PairLevel::same_host);
    EXPECT_EQ(level_of({.host = "a", .socket = 0}, {.host = "a", .socket = 0}), PairLevel::same_socket);
}

}  // namespace
}  // namespace fathom::analysis
