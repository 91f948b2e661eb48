#include "plan/distribution.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "base/test_support.hpp"

namespace fathom::plan {
namespace {

using testing::refusal_of;
using Shares = std::vector<std::int64_t>;

constexpr std::uint64_t seed = 7;
const std::vector<std::string> all{"equal", "linear", "one-heavy", "random"};

std::int64_t sum(const Shares& shares) {
    return std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
}

TEST(Shares, AddUpToTheTotalAndAreNeverNegative) {
    for (const auto& name : all) {
        for (const int procs : {1, 2, 3, 5, 16, 1000}) {
            for (const std::int64_t total :
                 {0L, 1L, 2L, 7L, 999L, 1000L, 123'457L, 1L << 40, (1L << 55) - 1}) {
                const auto found = shares(name, total, procs, seed);
                ASSERT_EQ(found.size(), static_cast<std::size_t>(procs)) << name;
                EXPECT_EQ(sum(found), total) << name << " " << procs;
                EXPECT_GE(*std::min_element(found.begin(), found.end()), 0) << name << " " << procs;
            }
        }
    }
}

TEST(Shares, OfOneProcessAreEverything) {
    for (const auto& name : all) {
        EXPECT_EQ(shares(name, 42, 1, seed), Shares{42}) << name;
    }
}

TEST(EqualShares, DifferByOneAtMostAndTheFirstHaveMore) {
    EXPECT_EQ(shares("equal", 12, 4, seed), (Shares{3, 3, 3, 3}));
    EXPECT_EQ(shares("equal", 14, 4, seed), (Shares{4, 4, 3, 3}));
    EXPECT_EQ(shares("equal", 2, 4, seed), (Shares{1, 1, 0, 0}));
}

TEST(LinearShares, GrowWithTheRank) {
    EXPECT_EQ(shares("linear", 40, 4, seed), (Shares{4, 8, 12, 16}));
    EXPECT_EQ(shares("linear", 41, 4, seed), (Shares{4, 8, 12, 17}));
    EXPECT_EQ(shares("linear", 2, 4, seed), (Shares{0, 0, 1, 1}));
    for (const int procs : {2, 3, 7, 100}) {
        for (std::int64_t total = 0; total < 300; ++total) {
            const auto found = shares("linear", total, procs, seed);
            EXPECT_TRUE(std::is_sorted(found.begin(), found.end())) << procs << " " << total;
        }
    }
    // No overflow on the way: 1 + 2 + ... + 1000 is 500500.
    EXPECT_EQ(shares("linear", 500'500L << 40, 1000, seed).back(), 1000L << 40);
}

TEST(HeavyShares, AreHalfOfAllForTheLast) {
    EXPECT_EQ(shares("one-heavy", 60, 4, seed), (Shares{10, 10, 10, 30}));
    EXPECT_EQ(shares("one-heavy", 65, 4, seed), (Shares{11, 11, 10, 33}));
    EXPECT_EQ(shares("one-heavy", 60, 2, seed), (Shares{30, 30}));
    EXPECT_EQ(shares("one-heavy", 1, 4, seed), (Shares{0, 0, 0, 1}));
}

TEST(RandomShares, AreTheSameForTheSameSeedAlone) {
    const auto found = shares("random", 100'000, 16, seed);
    EXPECT_EQ(shares("random", 100'000, 16, seed), found);
    EXPECT_NE(shares("random", 100'000, 16, seed + 1), found);
    EXPECT_FALSE(std::is_sorted(found.begin(), found.end()));
}

// The first three outputs of SplitMix64 for seed 1234567 (tests/base/splitmix64.cpp) by their upper halves, plus
// one, are 1503580184, 745795717 and 2285812966: shares of 1000 in proportion to them, by hand.
TEST(RandomShares, AreTheSameOnEveryMachine) {
    EXPECT_EQ(shares("random", 1000, 3, 1234567), (Shares{331, 164, 505}));
}

TEST(RandomShares, SpreadFromNothingToTwiceTheMean) {
    constexpr int procs = 1000;
    const auto found = shares("random", procs * 1'000'000L, procs, seed);
    const auto [least, most] = std::minmax_element(found.begin(), found.end());
    EXPECT_LT(*least, 50'000);
    EXPECT_GT(*most, 1'900'000);
    EXPECT_LT(*most, 2'200'000);
}

TEST(Shares, AreRefusedByAnUnknownName) {
    EXPECT_EQ(refusal_of([] { shares("square", 10, 2, seed); }),
              "no distribution 'square'; give equal, linear, one-heavy or random");
    EXPECT_EQ(refusal_of([] { shares("", 10, 1, seed); }),
              "no distribution ''; give equal, linear, one-heavy or random");
}

}  // namespace
}  // namespace fathom::plan
