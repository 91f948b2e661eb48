// How often comparisons are right where repetitions are disturbed: a small part of bench/verdicts.
#include <gtest/gtest.h>

#include "analysis/disturbed_run.hpp"

namespace fathom::analysis {
namespace {

using testing::DisturbedModel;
using testing::gate_rates;

/// Launches that differ by 2 %; of each, up to 60 % of the repetitions are disturbed.
constexpr DisturbedModel busy{.between = 0.02, .disturbed = 0.3, .reps = 60};
/// As `run --against` may take them, as far as they are needed here.
const std::vector<std::size_t> looks{5, 8, 12, 18, 27};

TEST(DisturbedStudy, TheSameIsDecidedAndRaisesNoAlarm) {
    const auto rates = gate_rates(busy, 1, 12, looks, 1);
    EXPECT_EQ(rates.fails, 0);
    EXPECT_GE(rates.holds, 11);
}

TEST(DisturbedStudy, TenPercentAreFound) {
    const auto rates = gate_rates(busy, 1.1, 12, looks, 2);
    EXPECT_GE(rates.fails, 11);
    EXPECT_EQ(rates.holds, 0);
}

TEST(DisturbedStudy, WhatOneRunLosesBeyondTheOtherIsNotTakenForChance) {
    // The second run loses two fifths of its repetitions, which may have been the slow ones.
    stats::Random random(3);
    auto first = testing::run_called("run 1");
    auto second = testing::run_called("run 2");
    testing::Launches launches;
    for (int i = 0; i < 12; ++i) {
        launches.push_back(testing::SyntheticTimes({.spread = 0.05}, random).take(60));
    }
    testing::add_point(first, testing::key_at(8), launches);
    testing::add_point(second, testing::key_at(8), launches, 40);
    const auto point = compare(std::move(first), std::move(second), {}).points.front();
    EXPECT_LT(point.ratio_range.low, 0.96);
    EXPECT_GT(point.ratio_range.high, 1.04);
    EXPECT_EQ(point.verdict, Change::undecided);
    EXPECT_EQ(point.doubt, Doubt::disturbed);
}

}  // namespace
}  // namespace fathom::analysis
