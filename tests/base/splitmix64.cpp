#include "base/splitmix64.hpp"

#include <gtest/gtest.h>

namespace fathom {
namespace {

// The first outputs of SplitMix64 for seed 1234567, as published with the reference implementation.
TEST(Mixed, IsSplitMix64) {
    EXPECT_EQ(splitmix64(1234567, 0), 6457827717110365317U);
    EXPECT_EQ(splitmix64(1234567, 1), 3203168211198807973U);
    EXPECT_EQ(splitmix64(1234567, 2), 9817491932198370423U);
    EXPECT_EQ(splitmix64(1234567, 3), 4593380528125082431U);
    EXPECT_EQ(splitmix64(1234567, 4), 16408922859458223821U);
}

}  // namespace
}  // namespace fathom
