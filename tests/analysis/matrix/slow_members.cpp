#include "analysis/matrix/slow_members.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stats/random.hpp"

namespace fathom::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Repetitions that are 10 % apart either way.
Spread ten_percent_around(double middle) {
    return {.low = 0.9 * middle, .middle = middle, .high = 1.1 * middle};
}

std::vector<Spread> things_of(const std::vector<double>& middles) {
    std::vector<Spread> found;
    for (const double middle : middles) {
        found.push_back(ten_percent_around(middle));
    }
    return found;
}

/// Usual ones of 100 and last one that takes longer.
std::vector<Spread> usual_and(std::size_t usual, const Spread& last) {
    std::vector<Spread> found(usual, ten_percent_around(100));
    found.push_back(last);
    return found;
}

template <typename Time>
Network network_of(std::size_t members, const Time& time) {
    Network network(members);
    for (std::size_t b = 0; b < members; ++b) {
        for (std::size_t a = 0; a < b; ++a) {
            network.set(a, b, ten_percent_around(time(a, b)));
        }
    }
    return network;
}

/// Among members whose pairs take 100, those of one take another time.
Network network_with_slow_member(std::size_t members, std::size_t slow, double time) {
    return network_of(members,
                      [=](std::size_t a, std::size_t b) { return a == slow || b == slow ? time : 100.0; });
}

Network network_with_slow_pair(std::size_t members, double time) {
    return network_of(members, [=](std::size_t a, std::size_t b) { return a == 0 && b == 1 ? time : 100.0; });
}

TEST(LowerAndUpperMedian, AreTheMiddleOrTheTwoAroundIt) {
    EXPECT_DOUBLE_EQ(lower_median({3}), 3);
    EXPECT_DOUBLE_EQ(lower_median({5, 1, 3}), 3);
    EXPECT_DOUBLE_EQ(upper_median({5, 1, 3}), 3);
    EXPECT_DOUBLE_EQ(lower_median({5, 1, 3, 4}), 3);
    EXPECT_DOUBLE_EQ(upper_median({5, 1, 3, 4}), 4);
}

TEST(SlowOnes, AreSoByOneAndAHalfTimesAndEightSharedOutAmongAll) {
    for (const std::size_t usual : {2U, 4U, 9U, 19U, 99U}) {
        const double factor = 1.5 + 8.0 / static_cast<double>(usual + 1);
        EXPECT_THAT(slow_ones(usual_and(usual, ten_percent_around(99.9 * factor))), IsEmpty()) << usual;
        EXPECT_THAT(slow_ones(usual_and(usual, ten_percent_around(100.1 * factor))), ElementsAre(usual))
            << usual;
    }
}

TEST(SlowOnes, AreNotNamedForTheirSlowRepetitionsAlone) {
    // The usual ones end at 110: where its fast repetitions begin below, the slow one was disturbed.
    EXPECT_THAT(slow_ones(usual_and(9, {.low = 109, .middle = 500, .high = 900})), IsEmpty());
    EXPECT_THAT(slow_ones(usual_and(9, {.low = 111, .middle = 500, .high = 900})), ElementsAre(9U));
}

TEST(SlowOnes, AreFiveDeviationsAboveTheScatterOfTheOthers) {
    // The logarithms of the others lie evenly at -d, 0 and d, so their median distance is d, and five
    // deviations are 5 x 1.4826 d. With d = 0.2 that is a factor of 4.40, beyond the 1.5 + 8/31 there.
    constexpr double d = 0.2;
    const double limit = 100 * std::exp(5 * 1.4826 * d);
    const auto with = [&](double slow) {
        std::vector<double> middles{slow};
        for (int i = 0; i < 10; ++i) {
            middles.insert(middles.end(), {100 * std::exp(-d), 100, 100 * std::exp(d)});
        }
        return slow_ones(things_of(middles));
    };
    EXPECT_THAT(with(0.99 * limit), IsEmpty());
    EXPECT_THAT(with(1.01 * limit), ElementsAre(0U));
}

TEST(SlowOnes, AreNoneAmongEqualFewOrZeroTimes) {
    EXPECT_THAT(slow_ones({}), IsEmpty());
    EXPECT_THAT(slow_ones(things_of({100})), IsEmpty());
    EXPECT_THAT(slow_ones(things_of({100, 1e9})), IsEmpty()) << "of two nobody knows which is usual";
    EXPECT_THAT(slow_ones(std::vector<Spread>(50, ten_percent_around(100))), IsEmpty());
    EXPECT_THAT(slow_ones(std::vector<Spread>(50)), IsEmpty());
    EXPECT_THAT(slow_ones(things_of({0, 0, 0, 0, 0, 100})), IsEmpty()) << "nothing is so many times 0";
}

TEST(SlowOnes, AreNoneWhereThereAreTwoGroupsOfAlikeSize) {
    std::vector<double> middles(20, 100);
    middles.insert(middles.end(), 20, 1'000);
    EXPECT_THAT(slow_ones(things_of(middles)), IsEmpty());
    middles.resize(23);
    EXPECT_THAT(slow_ones(things_of(middles)), ElementsAre(20U, 21U, 22U)) << "three of 23 are no group";
}

TEST(SlowOnes, AreRareAmongNoise) {
    // With 20, a factor of 1.9 is required. Normal logarithms would be five deviations up once in millions
    // of times if the scatter of 20 were exact; as it is not, a few in ten thousand are. Those with
    // exponential tails have their median distance at ln 2: beyond 5 x 1.4826 x 0.693 lie 0.5 exp(-5.14) =
    // 0.3 % of them, if their repetitions do not differ at all.
    constexpr int runs = 500;
    constexpr std::size_t count = 20;
    stats::Random random(1);
    const auto share_named = [&](const auto& logarithm) {
        std::size_t named = 0;
        for (int run = 0; run < runs; ++run) {
            std::vector<Spread> drawn;
            for (std::size_t i = 0; i < count; ++i) {
                const double time = 100 * std::exp(logarithm());
                drawn.push_back({.low = time, .middle = time, .high = time});
            }
            named += slow_ones(drawn).size();
        }
        return static_cast<double>(named) / (runs * static_cast<double>(count));
    };
    EXPECT_EQ(share_named([&] { return 0.05 * random.normal(); }), 0);
    EXPECT_LE(share_named([&] { return 0.5 * random.normal(); }), 0.001);
    const double heavy =
        share_named([&] { return std::log(random.uniform()) * (random.uniform() < 0.5 ? 0.5 : -0.5); });
    EXPECT_GT(heavy, 0.001);
    EXPECT_LT(heavy, 0.007);
}

TEST(SlowMembers, AreSoByOneAndAHalfTimesAndFourSharedOutAmongThePairsOfOthers) {
    for (const std::size_t members : {4U, 5U, 8U}) {
        const auto usual_pairs = static_cast<double>((members - 1) * (members - 2) / 2);
        const double factor = 1.5 + 4 / usual_pairs;
        EXPECT_THAT(slow_members(network_with_slow_member(members, 2, 99.9 * factor)), IsEmpty()) << members;
        EXPECT_THAT(slow_members(network_with_slow_member(members, 2, 100.1 * factor)), ElementsAre(2U))
            << members;
    }
}

TEST(SlowMembers, MayBeFastWithATenthOfTheOthers) {
    const auto with_fast_pairs = [](std::size_t fast) {
        auto network = network_with_slow_member(21, 0, 1'000);
        for (std::size_t other = 1; other <= fast; ++other) {
            network.set(0, other, ten_percent_around(100));
        }
        return slow_members(network);
    };
    EXPECT_THAT(with_fast_pairs(2), ElementsAre(0U)) << "2 of 20";
    EXPECT_THAT(with_fast_pairs(3), IsEmpty());
}

TEST(SlowMembers, AreNotTheirFastNeighbours) {
    // 3 is slow with everyone: that every pair of 3 is slow does not make its partners so.
    EXPECT_THAT(slow_members(network_with_slow_member(4, 3, 10'000)), ElementsAre(3U));
}

TEST(SlowMembers, AreNoneWhereNobodyIsLeftToCompareWith) {
    EXPECT_THAT(slow_members(Network(0)), IsEmpty());
    EXPECT_THAT(slow_members(Network(5)), IsEmpty()) << "no pair was measured";
    EXPECT_THAT(slow_members(network_of(2, [](auto, auto) { return 100.0; })), IsEmpty());
    EXPECT_THAT(slow_members(network_of(8, [](auto, auto) { return 0.0; })), IsEmpty());
    EXPECT_THAT(slow_members(network_of(8, [](auto, auto) { return 1e9; })), IsEmpty()) << "all alike";
    Network one_pair(5);
    for (std::size_t b = 1; b < 4; ++b) {
        for (std::size_t a = 0; a < b; ++a) {
            one_pair.set(a, b, ten_percent_around(100));
        }
    }
    one_pair.set(0, 4, ten_percent_around(10'000));
    EXPECT_THAT(slow_members(one_pair), IsEmpty()) << "one slow pair may be the fault of the way";
    one_pair.set(1, 4, ten_percent_around(10'000));
    EXPECT_THAT(slow_members(one_pair), ElementsAre(4U)) << "two are not";
}

TEST(SlowMembers, AreNotNamedBetweenTwoHalves) {
    const auto halves =
        network_of(8, [](std::size_t a, std::size_t b) { return (a < 4) == (b < 4) ? 100.0 : 1'000.0; });
    EXPECT_THAT(slow_members(halves), IsEmpty());
    EXPECT_THAT(slow_pairs(halves, {}), IsEmpty());
}

TEST(SlowPairs, AreSoByOneAndAHalfTimesAndEightSharedOutAmongAll) {
    for (const std::size_t members : {3U, 4U, 6U}) {
        const double factor = 1.5 + 8 / static_cast<double>(members * (members - 1) / 2);
        EXPECT_THAT(slow_pairs(network_with_slow_pair(members, 99.9 * factor), {}), IsEmpty()) << members;
        const auto found = slow_pairs(network_with_slow_pair(members, 100.1 * factor), {});
        ASSERT_EQ(found.size(), 1U) << members;
        EXPECT_EQ(found.front().first, 0U);
        EXPECT_EQ(found.front().second, 1U);
    }
}

TEST(SlowPairs, AreNotThoseOfASlowMember) {
    const auto network = network_with_slow_member(6, 2, 10'000);
    EXPECT_THAT(slow_pairs(network, {}), IsEmpty()) << "they are usual for it";
    auto with_link = network;
    with_link.set(4, 5, ten_percent_around(5'000));
    const std::vector<std::size_t> slow{2};
    const auto found = slow_pairs(with_link, slow);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().first, 4U);
    EXPECT_EQ(found.front().second, 5U);
}

TEST(SlowPairs, OfMembersLeftOutAreNotLookedAt) {
    const std::vector<std::size_t> without{1};
    EXPECT_THAT(slow_pairs(network_with_slow_pair(6, 10'000), without), IsEmpty());
}

TEST(SlowPairs, AreNoneWhereAMemberHasNoOtherPair) {
    Network chain(4);
    chain.set(0, 1, ten_percent_around(100));
    chain.set(1, 2, ten_percent_around(100));
    chain.set(2, 3, ten_percent_around(10'000));
    EXPECT_THAT(slow_pairs(chain, {}), IsEmpty()) << "3 has nothing to compare with";
    EXPECT_THAT(slow_pairs(Network(4), {}), IsEmpty());
    EXPECT_THAT(slow_pairs(network_of(2, [](auto, auto) { return 100.0; }), {}), IsEmpty());
}

}  // namespace
}  // namespace fathom::analysis
