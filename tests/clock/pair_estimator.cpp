#include "clock/pair_estimator.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_support.hpp"
#include "clock/links.hpp"

namespace fathom::clock {
namespace {

using ::testing::HasSubstr;
using testing::refusal_of;

__extension__ using Wide = __int128;

constexpr auto smallest = std::numeric_limits<std::int64_t>::min();
constexpr auto largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t millisecond = 1'000'000;

Sounding sounding_of(const std::vector<Ping>& pings) {
    PairEstimator estimator;
    for (const auto& ping : pings) {
        estimator.add(ping);
    }
    return estimator.sounding();
}

std::string refusal(const std::vector<Ping>& pings) {
    return refusal_of<NotMeasured>([&] { sounding_of(pings); });
}

/// Two clocks and a network whose delays differ by direction; the clocks drift apart at any rate up to a
/// limit, changing all the time. All in whole nanoseconds, so that the truth is exact.
class Network {
  public:
    Network(std::uint64_t seed, std::int64_t limit_ppm)
        : random_(seed),
          limit_ppm_(limit_ppm),
          slowest_there_(between(random_, 0, 100'000)),
          slowest_back_(between(random_, 0, 100'000)),
          near_(between(random_, -largest / 4, largest / 4)),
          offset_(between(random_, -largest / 4, largest / 4)) {}

    Ping ping() {
        pass(between(random_, 0, between(random_, 0, 3) == 0 ? 10 * millisecond : 1000));
        const auto there = between(random_, 0, slowest_there_);
        const auto back = between(random_, 0, slowest_back_);
        Ping ping{.sent = {near_}, .remote = {}, .received = {near_ + there + back}};
        if (there <= (there + back) / 2) {
            pass(there);
            ping.remote = {near_ + offset_};
            pass((there + back) / 2 - there);
            middle_offset_ = offset_;
        } else {
            pass((there + back) / 2);
            middle_offset_ = offset_;
            pass(there - (there + back) / 2);
            ping.remote = {near_ + offset_};
        }
        pass(ping.received.count - near_);
        return ping;
    }

    /// Far minus near at the middle of the last ping.
    [[nodiscard]] Nanoseconds middle_offset() const { return {middle_offset_}; }

  private:
    void pass(std::int64_t time) {
        const auto most = time * limit_ppm_ / 1'000'000;
        near_ += time;
        offset_ += between(random_, -most, most);
    }

    std::mt19937_64 random_;
    std::int64_t limit_ppm_;
    std::int64_t slowest_there_;
    std::int64_t slowest_back_;
    std::int64_t near_;
    std::int64_t offset_;
    std::int64_t middle_offset_ = 0;
};

TEST(PairEstimator, ConfinesTheOffsetByOnePing) {
    const auto sounding = sounding_of({{{1000}, {5000}, {1400}}});
    // In the 200 ns on either side of the middle the clocks drift apart by 0.1 ns, rounded up.
    EXPECT_EQ(sounding.link, (Link{{1200}, {5000 - 1200}, {5000 - 1400 - 1}, {5000 - 1000 + 1}}));
    EXPECT_EQ(sounding.round_trip.count, 400);
    EXPECT_EQ(sounding.pings, 1);
}

TEST(PairEstimator, IntersectsThePings) {
    // The first answer and the second request were fast: each confines one side.
    const auto sounding = sounding_of({{{1000}, {1110}, {1120}}, {{1200}, {1250}, {1400}}});
    EXPECT_EQ(sounding.link, (Link{{1060}, {50}, {1110 - 1120 - 1}, {1250 - 1200 + 1}}));
    EXPECT_EQ(sounding.pings, 2);
}

TEST(PairEstimator, WidensLaterPingsByWhatMayHaveDriftedMeanwhile) {
    // The second is slower, but its request took no time at all.
    const auto sounding = sounding_of({{{0}, {millisecond / 2}, {millisecond}},
                                       {{100 * millisecond}, {100 * millisecond}, {102 * millisecond}}});
    EXPECT_EQ(sounding.link, (Link{{millisecond / 2}, {0}, {-500'000 - 250}, {0 + 50'750}}));
}

TEST(PairEstimator, WidensEarlierPingsWhenABetterOneComes) {
    const auto sounding = sounding_of(
        {{{0}, {0}, {millisecond}}, {{100 * millisecond}, {100'250'000}, {100 * millisecond + 500'000}}});
    EXPECT_EQ(sounding.link, (Link{{100'250'000}, {0}, {-250'000 - 125}, {0 + 250 + 49'875}}));
}

TEST(PairEstimator, EstimatesTheMiddleAtTheSmallestRoundTrip) {
    const auto sounding =
        sounding_of({{{0}, {530}, {1000}}, {{2000}, {2070}, {2100}}, {{3000}, {3300}, {3500}}});
    EXPECT_EQ(sounding.link.at.count, 2050);
    EXPECT_EQ(sounding.link.offset.count, 20);
    EXPECT_EQ(sounding.round_trip.count, 100);
}

TEST(PairEstimator, KeepsTheFirstOfEqualRoundTrips) {
    const auto sounding = sounding_of({{{0}, {60}, {100}}, {{200}, {240}, {300}}});
    EXPECT_EQ(sounding.link.at.count, 50);
    EXPECT_EQ(sounding.link.offset.count, 10);
}

TEST(PairEstimator, MovesTheEstimateIntoTheBounds) {
    // The fastest ping says 0, but a slower one shows that it is at least 39.
    const auto sounding = sounding_of({{{0}, {50}, {100}}, {{200}, {360}, {320}}});
    EXPECT_EQ(sounding.link, (Link{{50}, {39}, {39}, {51}}));
    EXPECT_EQ(sounding.round_trip.count, 100);
}

TEST(PairEstimator, IsExactWhereDelaysAreEqualAndNothingDrifts) {
    std::mt19937_64 random(1);
    for (int trial = 0; trial < 200; ++trial) {
        const auto offset = between(random, -largest / 4, largest / 4);
        std::vector<Ping> pings;
        std::int64_t now = between(random, -largest / 4, largest / 4);
        for (int i = 0; i < 20; ++i) {
            const auto delay = between(random, 0, 10'000);
            pings.push_back({{now}, {now + delay + offset}, {now + 2 * delay}});
            now += 2 * delay + between(random, 0, 100);
        }
        EXPECT_EQ(sounding_of(pings).link.offset.count, offset);
    }
}

TEST(PairEstimator, AlwaysHoldsTheTruth) {
    for (const int limit_ppm : {0, 200, 500}) {
        for (std::uint64_t seed = 0; seed < 1000; ++seed) {
            Network network(seed, limit_ppm);
            PairEstimator estimator;
            Ping best;
            Nanoseconds truth;
            for (int i = 0; i < 50; ++i) {
                const auto ping = network.ping();
                if (i == 0 || ping.round_trip() < best.round_trip()) {
                    best = ping;
                    truth = network.middle_offset();
                }
                estimator.add(ping);
                const auto link = estimator.sounding().link;
                ASSERT_EQ(link.at, best.middle());
                ASSERT_TRUE(link.contains(truth))
                    << "ping " << i << " of seed " << seed << " at " << limit_ppm << " ppm";
            }
        }
    }
}

TEST(PairEstimator, NeverKnowsLessThanItsFastestPingSays) {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        Network network(seed, 200);
        std::vector<Ping> pings(50);
        std::generate(pings.begin(), pings.end(), [&] { return network.ping(); });
        const auto best = *std::min_element(pings.begin(), pings.end(), [](const auto& a, const auto& b) {
            return a.round_trip() < b.round_trip();
        });
        const auto sounding = sounding_of(pings);
        const auto alone = sounding_of({best});
        const auto& link = sounding.link;
        EXPECT_EQ(sounding.round_trip, best.round_trip());
        EXPECT_EQ(link.at, alone.link.at);
        EXPECT_EQ(link.offset, std::clamp(alone.link.offset, link.low, link.high));
        EXPECT_GE(link.low, alone.link.low);
        EXPECT_LE(link.high, alone.link.high);
    }
}

TEST(PairEstimator, SettlesAfterSoManyPingsWithoutImprovement) {
    PairEstimator estimator;
    std::int64_t now = 0;
    const auto ping = [&](std::int64_t round_trip) {
        estimator.add({{now}, {now + round_trip / 2}, {now + round_trip}});
        now += round_trip;
    };
    ping(100);
    EXPECT_TRUE(estimator.settled(0));
    EXPECT_FALSE(estimator.settled(1));
    ping(120);
    ping(100);  // as good is not better
    EXPECT_TRUE(estimator.settled(2));
    EXPECT_FALSE(estimator.settled(3));
    ping(99);
    EXPECT_FALSE(estimator.settled(1));
    ping(130);
    EXPECT_TRUE(estimator.settled(1));
    EXPECT_FALSE(estimator.settled(2));
    EXPECT_EQ(estimator.pings(), 5);
}

TEST(PairEstimator, RefusesAClockThatRunsBackwards) {
    const Ping good{{1000}, {5000}, {1100}};
    EXPECT_THAT(refusal({{{1000}, {5000}, {999}}}), HasSubstr("ran backwards"));
    EXPECT_THAT(refusal({good, {{1099}, {5100}, {1200}}}), HasSubstr("ran backwards"));
    EXPECT_THAT(refusal({good, {{1200}, {4999}, {1300}}}), HasSubstr("ran backwards"));
    EXPECT_THAT(refusal({good, {{1200}, {5200}, {1100}}}), HasSubstr("ran backwards"));
}

TEST(PairEstimator, TakesAClockThatStandsStillForAMoment) {
    const auto sounding = sounding_of({{{1000}, {5000}, {1000}}, {{1000}, {5000}, {1000}}});
    EXPECT_EQ(sounding.link, (Link{{1000}, {4000}, {4000}, {4000}}));
}

TEST(PairEstimator, RefusesAClockThatJumps) {
    const std::vector<Ping> good{{{0}, {50}, {100}}, {{200}, {250}, {300}}};
    for (const auto& [near, far] : {std::pair{0, 1000}, std::pair{1000, 0}}) {
        auto pings = good;
        pings.push_back({{400 + near}, {450 + far}, {500 + near}});
        EXPECT_THAT(refusal(pings), HasSubstr("was set or jumped")) << near << ' ' << far;
    }
}

TEST(PairEstimator, NoticesAJumpInAnyNetworkIfItIsLongerThanTheRoundTrips) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Network network(seed, 200);
        PairEstimator estimator;
        for (int ping = 0; ping < 20; ++ping) {
            estimator.add(network.ping());
        }
        auto jumped = network.ping();
        jumped.remote = jumped.remote + Nanoseconds{millisecond};
        EXPECT_THAT(refusal_of<NotMeasured>([&] { estimator.add(jumped); }), HasSubstr("was set or jumped"));
    }
}

bool fits(Wide value) {
    return value >= smallest && value <= largest;
}

TEST(PairEstimator, IsRightOrRefusesAtTheEndsOfTheRange) {
    std::mt19937_64 random(5);
    constexpr std::array<std::int64_t, 5> places{smallest, smallest / 2, 0, largest / 2, largest};
    const auto any_time = [&] {
        const auto place = places[static_cast<std::size_t>(between(random, 0, 4))];
        const auto wide = std::int64_t{1} << between(random, 0, 12);
        return static_cast<std::int64_t>(
            std::clamp<Wide>(Wide{place} + between(random, -wide, wide), smallest, largest));
    };
    int right = 0;
    int refused = 0;
    for (int trial = 0; trial < 20'000; ++trial) {
        auto sent = any_time();
        auto received = any_time();
        if (sent > received) {
            std::swap(sent, received);
        }
        const auto remote = any_time();
        const Wide round_trip = Wide{received} - sent;
        const Wide drift = fits(round_trip) ? drift_over({received - sent - (received - sent) / 2}).count : 0;
        const Wide low = Wide{remote} - received - drift;
        const Wide high = Wide{remote} - sent + drift;
        if (fits(round_trip) && fits(low) && fits(high)) {
            const auto sounding = sounding_of({{{sent}, {remote}, {received}}});
            EXPECT_TRUE(Wide{sounding.link.low.count} == low && Wide{sounding.link.high.count} == high);
            EXPECT_TRUE(Wide{sounding.link.offset.count} == Wide{remote} - sent - round_trip / 2);
            ++right;
        } else {
            EXPECT_THAT(refusal({{{sent}, {remote}, {received}}}), HasSubstr("292 years apart"));
            ++refused;
        }
    }
    EXPECT_GT(right, 1000);
    EXPECT_GT(refused, 1000);
}

TEST(PairEstimator, HoldsTheTruthUpToTheEndsOfTheRange) {
    const auto start = largest - 1000;
    const auto sounding = sounding_of({{{500}, {start + 50}, {600}}, {{700}, {start + 260}, {800}}});
    EXPECT_EQ(sounding.link.offset.count, start - 500);
    EXPECT_TRUE(sounding.link.contains({start - 490}));
    EXPECT_THAT(refusal({{{500}, {start + 50}, {600}}, {{-start}, {start + 260}, {1 - start}}}),
                HasSubstr("ran backwards"));
}

TEST(PairEstimator, RefusesALifetimeBetweenTwoPings) {
    EXPECT_THAT(refusal({{{smallest}, {smallest}, {smallest}}, {{largest}, {largest}, {largest}}}),
                HasSubstr("292 years apart"));
}

}  // namespace
}  // namespace fathom::clock
