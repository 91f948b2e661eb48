#include "report/page/spread.hpp"

#include <gtest/gtest.h>

#include "journal/json.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;

/// 1 to 1000 ns on rank 0, twice that on rank 1.
analysis::Repetitions two_ranks() {
    analysis::Repetitions repetitions;
    for (int i = 1; i <= 1000; ++i) {
        // Not in order, as times are.
        const double time = 1 + (i * 7919) % 1000;
        repetitions.times.push_back(2 * time);
        repetitions.by_rank[0].push_back(time);
        repetitions.by_rank[1].push_back(2 * time);
    }
    return repetitions;
}

analysis::PointResult bcast() {
    analysis::PointResult point;
    point.key.operation = "bcast";
    return point;
}

TEST(Spread, HasExactFiguresOfWhatCountsAndOfEachRank) {
    const auto json = spread_json(bcast(), two_ranks());
    EXPECT_EQ(json["quantiles"][0], ordered_json({0.0, 2.0}));
    EXPECT_EQ(json["quantiles"][4], ordered_json({0.5, 1001.0}));
    EXPECT_EQ(json["quantiles"][10], ordered_json({1.0, 2000.0}));
    const auto& ranks = json["ranks"];
    EXPECT_EQ(ranks["rank"], ordered_json({0, 1}));
    EXPECT_EQ(ranks["reps"], ordered_json({1000, 1000}));
    EXPECT_EQ(ranks["min_ns"], ordered_json({1.0, 2.0}));
    EXPECT_EQ(ranks["median_ns"], ordered_json({500.5, 1001.0}));
    EXPECT_EQ(ranks["mean_ns"], ordered_json({500.5, 1001.0}));
    EXPECT_EQ(ranks["p99_ns"], ordered_json({990.01, 1980.02}));
    EXPECT_EQ(ranks["max_ns"], ordered_json({1000.0, 2000.0}));
    EXPECT_EQ(ranks["counts"].size(), 2U);
}

TEST(Spread, TimesOfZeroLeaveTheBinsToTheOthers) {
    analysis::Repetitions repetitions;
    repetitions.times = {100, 110, 120};
    repetitions.by_rank[0] = {0, 0, 0};
    repetitions.by_rank[1] = {100, 110, 120};
    const auto ranks = spread_json(bcast(), repetitions)["ranks"];
    EXPECT_GT(ranks["low_ns"].get<double>(), 99);
    EXPECT_EQ(ranks["min_ns"], ordered_json({0.0, 100.0}));
}

TEST(Spread, OfNoTimesIsNothing) {
    EXPECT_TRUE(spread_json(bcast(), {}).is_null());
}

TEST(Spread, OfAPointThatTookNoTimeIsOneBin) {
    analysis::Repetitions repetitions;
    repetitions.times = {0, 0};
    EXPECT_EQ(spread_json(bcast(), repetitions)["bins"], 1);
}

TEST(Shortened, KeepsSixDigits) {
    EXPECT_DOUBLE_EQ(shortened(123456.789), 123457);
    EXPECT_DOUBLE_EQ(shortened(0.00123456789), 0.00123457);
    EXPECT_DOUBLE_EQ(shortened(-98765.4321), -98765.4);
    EXPECT_DOUBLE_EQ(shortened(0), 0);
}

}  // namespace
}  // namespace fathom::report
