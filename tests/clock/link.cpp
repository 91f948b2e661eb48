#include "clock/link.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "base/test_support.hpp"
#include "clock/links.hpp"

namespace fathom::clock {
namespace {

using testing::refusal_of;

constexpr Nanoseconds earliest{std::numeric_limits<std::int64_t>::min()};
constexpr Nanoseconds latest{std::numeric_limits<std::int64_t>::max()};
constexpr auto too_far = "two clocks are more than 292 years apart; choose another with --clock";

TEST(DriftOver, IsTheLimitTimesTheTimeRoundedUp) {
    EXPECT_EQ(drift_over({0}).count, 0);
    EXPECT_EQ(drift_over({1}).count, 1);
    EXPECT_EQ(drift_over({1999}).count, 1);
    EXPECT_EQ(drift_over({2001}).count, 2);
    EXPECT_EQ(drift_over({1'000'000'001}).count, 500'001);
    EXPECT_EQ(drift_over({-1'000'000'001}).count, 500'001);
}

TEST(DriftOver, IsNeverLessThanTheLimit) {
    std::mt19937_64 random(1);
    for (int trial = 0; trial < 10'000; ++trial) {
        const auto time = between(random, 0, std::int64_t{1} << between(random, 0, 50));
        const auto drift = drift_over({time}).count;
        EXPECT_GE(drift * 2000, time);
        EXPECT_LE(drift * 2000, time + 4000) << time;
    }
}

TEST(DriftOver, TakesTheEndsOfTheRange) {
    EXPECT_NEAR(static_cast<double>(drift_over(latest).count), 4.611686018427388e15, 2);
    EXPECT_NEAR(static_cast<double>(drift_over(earliest).count), 4.611686018427388e15, 2);
}

TEST(CheckedArithmetic, IsExactUpToTheEndsOfTheRange) {
    EXPECT_EQ(checked_sum({latest.count - 1}, {1}), latest);
    EXPECT_EQ(checked_sum(earliest, latest).count, -1);
    EXPECT_EQ(checked_difference({-1}, latest), earliest);
    EXPECT_EQ(checked_difference(earliest, earliest).count, 0);
}

TEST(CheckedArithmetic, RefusesWhatDoesNotFit) {
    EXPECT_EQ(refusal_of<NotMeasured>([] { checked_sum(latest, {1}); }), too_far);
    EXPECT_EQ(refusal_of<NotMeasured>([] { checked_sum(earliest, {-1}); }), too_far);
    EXPECT_EQ(refusal_of<NotMeasured>([] { checked_difference({0}, earliest); }), too_far);
    EXPECT_EQ(refusal_of<NotMeasured>([] { checked_difference({-2}, latest); }), too_far);
}

TEST(Link, HasTheLargerOfItsTwoErrorsAsBound) {
    EXPECT_EQ((Link{{0}, {10}, {7}, {15}}.bound().count), 5);
    EXPECT_EQ((Link{{0}, {-10}, {-17}, {-9}}.bound().count), 7);
    EXPECT_EQ((Link{{0}, {10}, {10}, {10}}.bound().count), 0);
}

TEST(Link, RefusesABoundThatDoesNotFit) {
    EXPECT_EQ(refusal_of<NotMeasured>([] {
                  static_cast<void>(Link{{0}, {-2}, {-3}, latest}.bound());
              }),
              too_far);
}

TEST(Link, ContainsBothEnds) {
    const Link link{{0}, {10}, {7}, {15}};
    for (const int inside : {7, 10, 15}) {
        EXPECT_TRUE(link.contains({inside})) << inside;
    }
    EXPECT_FALSE(link.contains({6}));
    EXPECT_FALSE(link.contains({16}));
}

TEST(Reversed, IsTheSameLinkSeenFromTheOtherEnd) {
    // Wider by what may drift in 50 ns, the bound: 0.025 ns, rounded up.
    EXPECT_EQ(reversed({{1000}, {300}, {290}, {350}}), (Link{{1300}, {-300}, {-351}, {-289}}));
    EXPECT_EQ(reversed({{1000}, {-300}, {-350}, {-290}}), (Link{{700}, {300}, {289}, {351}}));
    EXPECT_EQ(reversed({{0}, {0}, {-1'000'000}, {1'000'000}}), (Link{{0}, {0}, {-1'000'500}, {1'000'500}}));
}

TEST(Reversed, TwiceIsTheLinkItselfButForWhatMayDrift) {
    std::mt19937_64 random(2);
    constexpr auto far = std::int64_t{1} << 61;
    for (int trial = 0; trial < 1000; ++trial) {
        const auto offset = between(random, -far, far);
        const Link link{.at = {between(random, -far, far)},
                        .offset = {offset},
                        .low = {offset - between(random, 0, far)},
                        .high = {offset + between(random, 0, far)}};
        const auto twice = reversed(reversed(link));
        EXPECT_EQ(twice.at, link.at);
        EXPECT_EQ(twice.offset, link.offset);
        EXPECT_LE(twice.low, link.low);
        EXPECT_GE(twice.high, link.high);
        EXPECT_LE(static_cast<double>((link.low - twice.low).count),
                  2 + 1.01e-3 * static_cast<double>(link.bound().count));
    }
}

TEST(Reversed, RefusesWhatDoesNotFit) {
    EXPECT_EQ(refusal_of<NotMeasured>([] { reversed({{-5}, {5}, earliest, {6}}); }), too_far);
    EXPECT_EQ(refusal_of<NotMeasured>([] { reversed({latest, {5}, {4}, {6}}); }), too_far);
}

TEST(Joined, AddsOffsetsAndBoundsAndHoldsWhenTheFirstDoes) {
    const Link first{{1000}, {500}, {490}, {520}};
    const Link second{{1500}, {-200}, {-230}, {-190}};  // at the very moment of the first: 1000 + 500
    const auto all = joined(first, second);
    EXPECT_EQ(all.at, first.at);
    EXPECT_EQ(all.offset.count, 300);
    EXPECT_LE(all.low.count, 490 - 230);
    EXPECT_GE(all.high.count, 520 - 190);
    // No more than the drift during the uncertainty of the middle time.
    EXPECT_GE(all.low.count, 490 - 230 - 1);
    EXPECT_LE(all.high.count, 520 - 190 + 1);
}

TEST(Joined, WidensByWhatMayHaveDriftedBetweenTheTwo) {
    constexpr std::int64_t second = 1'000'000'000;
    const Link exact{{0}, {7}, {7}, {7}};
    for (const auto later : {-2 * second, 2 * second}) {
        EXPECT_EQ(joined(exact, {{7 + later}, {5}, {4}, {6}}),
                  (Link{{0}, {12}, {11 - 1'000'000}, {13 + 1'000'000}}));
    }
}

TEST(Joined, RefusesWhatDoesNotFit) {
    const Link far{{0}, latest, {latest.count - 1}, latest};
    const Link near{{0}, {1}, {0}, {2}};
    EXPECT_EQ(refusal_of<NotMeasured>([&] { joined(far, near); }), too_far);
    EXPECT_EQ(refusal_of<NotMeasured>([&] { joined(near, far); }), too_far);
    EXPECT_EQ(refusal_of<NotMeasured>([&] { joined(near, {earliest, {0}, {0}, {0}}); }), too_far);
}

/// A clock that is ahead of another by a first offset and an even drift, in whole nanoseconds.
struct Ahead {
    std::int64_t start;
    std::int64_t parts_per_billion;

    [[nodiscard]] std::int64_t at(std::int64_t time) const {
        return start + time / 1'000'000 * parts_per_billion / 1000;
    }
    [[nodiscard]] Link link(std::mt19937_64& random, std::int64_t time, std::int64_t width) const {
        const auto low = at(time) - between(random, 0, width);
        const auto high = at(time) + between(random, 0, width);
        return {.at = {time}, .offset = {between(random, low, high)}, .low = {low}, .high = {high}};
    }
};

TEST(Joined, AlwaysHoldsTheTruth) {
    std::mt19937_64 random(3);
    for (int trial = 0; trial < 20'000; ++trial) {
        constexpr std::int64_t million = 1'000'000;
        const Ahead middle{between(random, -1000 * million, 1000 * million),
                           between(random, -200'000, 200'000)};
        const Ahead far{between(random, -1000 * million, 1000 * million), between(random, -200'000, 200'000)};
        const auto width = between(random, 0, 100'000);
        const auto time = between(random, 0, 10'000) * million;
        // The second was measured well before or after the first, as one exchange follows another.
        const auto gap = between(random, 2 * million, 5000 * million) * (trial % 2 == 0 ? 1 : -1);
        const auto all =
            joined(middle.link(random, time, width), far.link(random, time + middle.at(time) + gap, width));
        const auto truth = middle.at(time) + far.at(time + middle.at(time));
        EXPECT_TRUE(all.contains({truth})) << trial;
    }
}

}  // namespace
}  // namespace fathom::clock
