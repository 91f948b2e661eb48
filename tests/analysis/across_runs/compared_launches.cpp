#include "analysis/across_runs/compared_launches.hpp"

#include <gtest/gtest.h>

namespace fathom::analysis {
namespace {

LaunchCounts counts(std::size_t used, std::size_t set_aside) {
    return {.used = used, .set_aside = set_aside, .failed = 0};
}

TEST(LaunchesDropped, CountAsUnknownOnlyBeyondTheOtherRunsShareAndChance) {
    EXPECT_EQ(launches_dropped_beyond(counts(5, 0), counts(5, 0)), 0U);
    EXPECT_EQ(launches_dropped_beyond(counts(2, 6), counts(2, 6)), 0U) << "both on the same busy machine";
    EXPECT_EQ(launches_dropped_beyond(counts(7, 1), counts(8, 0)), 0U) << "one of eight is chance";
    // 75 % against none: 75 - 1.96 * sqrt(0.75 * 0.25 / 8) = 45 % of eight.
    EXPECT_EQ(launches_dropped_beyond(counts(2, 6), counts(8, 0)), 4U);
    EXPECT_EQ(launches_dropped_beyond(counts(8, 0), counts(2, 6)), 0U);
    EXPECT_EQ(launches_dropped_beyond({.used = 0, .set_aside = 0, .failed = 3}, counts(5, 0)), 0U);
}

}  // namespace
}  // namespace fathom::analysis
