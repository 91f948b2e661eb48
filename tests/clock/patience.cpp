#include "clock/patience.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::clock {
namespace {

constexpr int trials = 20'000;

/// Results with the given N and quality in percent.
std::vector<PatienceResult> results(const std::vector<std::pair<int, double>>& rows) {
    std::vector<PatienceResult> all;
    for (const auto& [patience, percent] : rows) {
        all.push_back({.patience = patience, .excess_percent = percent, .excess_ns = 0, .pings = 0});
    }
    return all;
}

// Round trips are 10 with probability p, else 20. It ends at 20 if the first and N more draws are all 20:
// q^(N + 1). The cost is 1 + N, and if the first was 20, the draws up to a 10 within the next N as well.
TEST(SimulatePatience, FollowsTheClosedFormOfTwoRoundTrips) {
    for (const auto& round_trips :
         {std::vector<std::int64_t>{10, 20}, std::vector<std::int64_t>{20, 10, 20, 20},
          std::vector<std::int64_t>{20, 20, 20, 20, 20, 20, 20, 20, 20, 10}}) {
        const double p = 1 / static_cast<double>(round_trips.size());
        const double q = 1 - p;
        for (const auto& found : simulate_patience(round_trips, std::vector{0, 1, 2, 5, 20}, trials, 7)) {
            const int n = found.patience;
            const double missed = std::pow(q, n + 1);
            const double error = 5 * std::sqrt(missed * (1 - missed) / trials);
            EXPECT_NEAR(found.excess_ns, 10 * missed, 10 * error) << n;
            EXPECT_DOUBLE_EQ(found.excess_percent, 10 * found.excess_ns) << n;
            const double waited = q * ((1 - std::pow(q, n)) / p - n * std::pow(q, n));
            EXPECT_NEAR(found.pings, 1 + n + waited, 5 * (n + 1) / std::sqrt(trials)) << n;
        }
    }
}

TEST(SimulatePatience, StopsAtOnceWhereAllRoundTripsAreEqual) {
    const auto found =
        simulate_patience(std::vector<std::int64_t>{30, 30, 30}, std::vector{0, 1, 10}, 100, 1);
    ASSERT_EQ(found.size(), 3U);
    for (const auto& result : found) {
        EXPECT_EQ(result.excess_ns, 0);
        EXPECT_EQ(result.excess_percent, 0);
        EXPECT_EQ(result.pings, result.patience + 1);
    }
}

TEST(SimulatePatience, GetsBetterAndDearerWithPatience) {
    std::vector<std::int64_t> round_trips;
    for (int i = 0; i < 1000; ++i) {
        round_trips.push_back(1000 + i * i);
    }
    const auto found = simulate_patience(round_trips, std::vector{1, 3, 10, 30, 100, 300}, 2000, 3);
    ASSERT_EQ(found.size(), 6U);
    for (std::size_t i = 1; i < found.size(); ++i) {
        EXPECT_LT(found[i].excess_percent, found[i - 1].excess_percent);
        EXPECT_GT(found[i].pings, found[i - 1].pings);
        EXPECT_GT(found[i].pings, found[i].patience);
    }
}

TEST(SimulatePatience, DependsOnItsSeedAlone) {
    const std::vector<std::int64_t> round_trips{10, 14, 20, 50, 90, 91, 92};
    const auto excess = [&](std::uint64_t seed) {
        return simulate_patience(round_trips, std::vector{3}, 1000, seed).front().excess_ns;
    };
    EXPECT_EQ(excess(1), excess(1));
    EXPECT_NE(excess(1), excess(2));
}

TEST(SimulatePatience, TakesRoundTripsOfNoTime) {
    const auto found = simulate_patience(std::vector<std::int64_t>{0, 8}, std::vector{1}, trials, 1);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().excess_percent, 0);
    EXPECT_NEAR(found.front().excess_ns, 2, 0.2);
}

TEST(SimulatePatience, HasNoResultWithoutRoundTripsOrPatiences) {
    EXPECT_THAT(simulate_patience({}, std::vector{1, 2}, 10, 1), ::testing::IsEmpty());
    EXPECT_THAT(simulate_patience(std::vector<std::int64_t>{5}, {}, 10, 1), ::testing::IsEmpty());
}

TEST(RecommendedPatience, IsTheSmallestWithinFivePercent) {
    EXPECT_EQ(recommended_patience(results({{1, 50}, {2, 5.1}, {5, 5.0}, {10, 1}})), 5);
    EXPECT_EQ(recommended_patience(results({{1, 4}, {2, 3}})), 1);
}

TEST(RecommendedPatience, IsElseTheSmallestAfterWhichDoublingGainsLessThanOnePercent) {
    EXPECT_EQ(recommended_patience(results({{10, 40}, {20, 30}, {40, 29.5}, {80, 29.2}})), 20);
    EXPECT_EQ(recommended_patience(results({{10, 40}, {20, 39}, {40, 38.5}})), 20);
    // Twice 10 is not there: 25 is the next.
    EXPECT_EQ(recommended_patience(results({{10, 40}, {15, 39.9}, {25, 30}, {50, 29.5}})), 25);
}

TEST(RecommendedPatience, IsTheFirstThatWasNotDoubledIfAllGain) {
    EXPECT_EQ(recommended_patience(results({{10, 40}, {20, 30}, {40, 20}})), 40);
    EXPECT_EQ(recommended_patience(results({{10, 40}})), 10);
}

TEST(RecommendedPatience, OfNothingIsZero) {
    EXPECT_EQ(recommended_patience({}), 0);
}

}  // namespace
}  // namespace fathom::clock
