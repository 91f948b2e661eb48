#include "plan/distribution.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

namespace fathom::plan {
namespace {

using Shares = std::vector<std::int64_t>;

constexpr std::uint64_t seed = 7;

std::int64_t sum(const Shares& shares) {
    return std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
}

TEST(Shares, AddUpToTheTotalAndAreNeverNegative) {
    for (const auto name : values_of<Distribution>) {
        for (const int procs : {1, 2, 3, 5, 16, 1000}) {
            for (const std::int64_t total :
                 {0L, 1L, 2L, 7L, 999L, 1000L, 123'457L, 1L << 40, (1L << 55) - 1}) {
                const auto found = shares(name, total, procs, seed);
                ASSERT_EQ(found.size(), static_cast<std::size_t>(procs)) << to_text(name);
                EXPECT_EQ(sum(found), total) << to_text(name) << " " << procs;
                EXPECT_GE(*std::min_element(found.begin(), found.end()), 0) << to_text(name) << " " << procs;
            }
        }
    }
}

TEST(Shares, OfOneProcessAreEverything) {
    for (const auto name : values_of<Distribution>) {
        EXPECT_EQ(shares(name, 42, 1, seed), Shares{42}) << to_text(name);
    }
}

TEST(EqualShares, DifferByOneAtMostAndTheFirstHaveMore) {
    EXPECT_EQ(shares(Distribution::equal, 12, 4, seed), (Shares{3, 3, 3, 3}));
    EXPECT_EQ(shares(Distribution::equal, 14, 4, seed), (Shares{4, 4, 3, 3}));
    EXPECT_EQ(shares(Distribution::equal, 2, 4, seed), (Shares{1, 1, 0, 0}));
}

TEST(LinearShares, GrowWithTheRank) {
    EXPECT_EQ(shares(Distribution::linear, 40, 4, seed), (Shares{4, 8, 12, 16}));
    EXPECT_EQ(shares(Distribution::linear, 41, 4, seed), (Shares{4, 8, 12, 17}));
    EXPECT_EQ(shares(Distribution::linear, 2, 4, seed), (Shares{0, 0, 1, 1}));
    for (const int procs : {2, 3, 7, 100}) {
        for (std::int64_t total = 0; total < 300; ++total) {
            const auto found = shares(Distribution::linear, total, procs, seed);
            EXPECT_TRUE(std::is_sorted(found.begin(), found.end())) << procs << " " << total;
        }
    }
    // No overflow on the way: 1 + 2 + ... + 1000 is 500500.
    EXPECT_EQ(shares(Distribution::linear, 500'500L << 40, 1000, seed).back(), 1000L << 40);
}

TEST(HeavyShares, AreHalfOfAllForTheLast) {
    EXPECT_EQ(shares(Distribution::one_heavy, 60, 4, seed), (Shares{10, 10, 10, 30}));
    EXPECT_EQ(shares(Distribution::one_heavy, 65, 4, seed), (Shares{11, 11, 10, 33}));
    EXPECT_EQ(shares(Distribution::one_heavy, 60, 2, seed), (Shares{30, 30}));
    EXPECT_EQ(shares(Distribution::one_heavy, 1, 4, seed), (Shares{0, 0, 0, 1}));
}

TEST(RandomShares, AreTheSameForTheSameSeedAlone) {
    const auto found = shares(Distribution::random, 100'000, 16, seed);
    EXPECT_EQ(shares(Distribution::random, 100'000, 16, seed), found);
    EXPECT_NE(shares(Distribution::random, 100'000, 16, seed + 1), found);
    EXPECT_FALSE(std::is_sorted(found.begin(), found.end()));
}

// The first three outputs of SplitMix64 for seed 1234567 (tests/base/splitmix64.cpp) by their upper halves,
// plus one, are 1503580184, 745795717 and 2285812966: shares of 1000 in proportion to them, by hand.
TEST(RandomShares, AreTheSameOnEveryMachine) {
    EXPECT_EQ(shares(Distribution::random, 1000, 3, 1234567), (Shares{331, 164, 505}));
}

TEST(RandomShares, SpreadFromNothingToTwiceTheMean) {
    constexpr int procs = 1000;
    const auto found = shares(Distribution::random, procs * 1'000'000L, procs, seed);
    const auto [least, most] = std::minmax_element(found.begin(), found.end());
    EXPECT_LT(*least, 50'000);
    EXPECT_GT(*most, 1'900'000);
    EXPECT_LT(*most, 2'200'000);
}

}  // namespace
}  // namespace fathom::plan
