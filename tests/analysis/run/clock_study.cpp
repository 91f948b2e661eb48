#include "analysis/run/clock_study.hpp"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/sample_clock.hpp"

namespace fathom::analysis {
namespace {

using testing::sync_of;

constexpr std::int64_t second_ns = 1'000'000'000;

TEST(SyncStudy, KeepsRepeatsApartAndFitsTheDriftOfAll) {
    std::vector<journal::ClockSync> syncs;
    for (int i = 0; i < 4; ++i) {
        syncs.push_back(sync_of(i, 0, i * second_ns, 0, 0));
        syncs.push_back(sync_of(i, 1, i * second_ns, 1'000 + i * 20'000, 300));
    }
    const auto study = study_sync(syncs, 3, {{0, "h0"}, {1, "h1"}});
    ASSERT_EQ(study.repeats.size(), 3U) << "the fourth only shows the drift";
    EXPECT_EQ(study.scheme, "tree");
    EXPECT_EQ(study.repeats[2].pings, 101);
    EXPECT_EQ(study.repeats[2].cost_ns, 5000);
    EXPECT_EQ(study.repeats[2].ranks[1].offset_ns, 41'000);
    EXPECT_EQ(study.repeats[2].ranks[1].bound_ns, 300);
    EXPECT_EQ(study.repeats[2].ranks[1].host, "h1");
    EXPECT_NEAR(study.ranks[1].drift_ppm, 20, 1e-9) << "of its clock against rank 0's";
    EXPECT_NEAR(study.ranks[1].detrended_ns.max, 0, 1e-6);
    EXPECT_TRUE(study.ranks[1].steady);
}

journal::ClockPings pings_of(int round, int asking, int answering, std::int64_t offset,
                             std::vector<std::int64_t> round_trips) {
    journal::ClockPings pings;
    pings.round = round;
    pings.asking = asking;
    pings.answering = answering;
    pings.at_ns = round * second_ns;
    pings.offset_ns = offset;
    pings.low_ns = offset - 50;
    pings.high_ns = offset + 50;
    pings.round_trips_ns = std::move(round_trips);
    return pings;
}

TEST(DriftStudy, SeesEveryPairByItself) {
    std::vector<journal::ClockPings> pings;
    for (int round = 0; round < 5; ++round) {
        pings.push_back(pings_of(round, 1, 0, 100 + 7'000 * round, {100, 110, 400}));
        pings.push_back(pings_of(round, 2, 0, round < 3 ? 0 : 100'000, {100, 100, 100}));
    }
    const auto pairs = study_drift(pings);
    ASSERT_EQ(pairs.size(), 2U);
    EXPECT_NEAR(pairs[0].fit->slope_ppm(), 7, 1e-9);
    EXPECT_TRUE(pairs[0].steady);
    EXPECT_EQ(pairs[0].round_trips.count, 15U);
    EXPECT_EQ(pairs[0].round_trips.min, 100);
    EXPECT_EQ(pairs[0].histogram.counts.size(), 200U);
    EXPECT_FALSE(pairs[1].steady) << "it was set in between";
}

TEST(QualityStudy, RecommendsAPatience) {
    std::vector<std::int64_t> round_trips(1000, 200);
    round_trips[500] = 100;
    const std::vector<journal::ClockPings> pings{pings_of(0, 1, 0, 0, round_trips)};
    const auto study = study_quality(pings, 1);
    ASSERT_TRUE(study);
    EXPECT_EQ(study->pings, 1000U);
    EXPECT_GT(study->results.front().excess_percent, 90) << "one in a thousand is rarely found at once";
    EXPECT_LT(study->results.back().excess_percent, study->results.front().excess_percent);
    EXPECT_FALSE(study_quality({}, 1));
}

/// Two ranks that act at 1000 on the global clock, rank 1 late by `late` as fresh pings say, which know its
/// clock to 20 ns, and believing an error of at most `claimed`.
CheckMoment check_of(std::int64_t late, std::int64_t claimed) {
    const std::vector<journal::ClockSync> syncs{sync_of(0, 0, 0, 0, 0), sync_of(0, 1, 5'000, 5'000, 20),
                                                sync_of(1, 0, 2'000, 0, 0), sync_of(1, 1, 7'000, 5'000, 20),
                                                sync_of(2, 1, 9'000, 99'000, 20)};
    journal::ClockEvent first{.after_ns = 0,
                              .event = 0,
                              .rank = 0,
                              .planned_ns = 1'000,
                              .acted_ns = 1'000,
                              .global_ns = 1'000,
                              .claimed_ns = 0,
                              .sync = 0};
    auto second_rank = first;
    second_rank.rank = 1;
    second_rank.acted_ns = 6'000 + late;
    second_rank.claimed_ns = claimed;
    return study_check(std::array{first, second_rank}, syncs).at(0);
}

TEST(CheckStudy, ComparesWhatRanksBelievedWithFreshPings) {
    const auto good = check_of(30, 15);
    EXPECT_EQ(good.skew_median_ns, 30);
    EXPECT_EQ(good.skew_bound_ns, 20);
    EXPECT_EQ(good.error_max_ns, 30);
    EXPECT_EQ(good.worst_rank, 1);
    EXPECT_EQ(good.claimed_ns, 15);
    EXPECT_EQ(good.verified_to_ns, 20);
    EXPECT_TRUE(good.holds) << "30 is within 15 and 20";
    EXPECT_FALSE(check_of(36, 15).holds);
    EXPECT_FALSE(check_of(-36, 15).holds);
}

}  // namespace
}  // namespace fathom::analysis
