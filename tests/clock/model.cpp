#include "clock/model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "clock/links.hpp"

namespace fathom::clock {
namespace {

/// A model of a clock that drifts evenly, after several synchronisations one second apart.
DriftModel steady(int links, std::int64_t start, std::int64_t offset_a_second) {
    DriftModel model;
    for (int i = 0; i < links; ++i) {
        EXPECT_FALSE(model.add(link(i * second, start + i * offset_a_second, 100)));
    }
    return model;
}

TEST(DriftModel, AddsAnOnlyOffset) {
    const auto model = steady(1, 5000, 0);
    EXPECT_FALSE(model.fit());
    EXPECT_EQ(model.global({77}).count, 5077);
    EXPECT_EQ(model.own({5077}).count, 77);
}

TEST(DriftModel, PredictsAnEvenDriftExactly) {
    for (const int links : {2, 3, 5, 20}) {
        for (const std::int64_t drift : {-200'000, -37'000, 0, 1000, 200'000}) {
            constexpr std::int64_t start = 3'000'000'000'000'000;  // 35 days
            const auto model = steady(links, start, drift);
            for (const int time : {0, 1, 30, 3600}) {
                EXPECT_EQ(model.global({time * second}).count, time * second + start + time * drift)
                    << links << " links, " << drift << " ns a second, after " << time << " s";
            }
        }
    }
}

TEST(DriftModel, FindsTheOwnTimeOfAGlobalOne) {
    std::mt19937_64 random(1);
    for (int trial = 0; trial < 1000; ++trial) {
        const auto any = [&](std::int64_t most) {
            return std::uniform_int_distribution<std::int64_t>(-most, most)(random);
        };
        const auto start = any(1'000'000 * second);
        const auto model = steady(1 + trial % 10, start, any(200'000));
        const Nanoseconds own{any(4000 * second)};
        EXPECT_LE(std::abs((model.own(model.global(own)) - own).count), 1);
        const auto global = own + Nanoseconds{start};
        EXPECT_LE(std::abs((model.global(model.own(global)) - global).count), 1);
    }
}

TEST(DriftModel, FollowsItsLatestOffsets) {
    DriftModel model;
    // Bounds so wide that the change of the drift may be chance.
    for (int i = 0; i < 20; ++i) {
        EXPECT_FALSE(model.add(link(i * second, i < 10 ? 0 : (i - 10) * 1000, 1'000'000)));
    }
    ASSERT_TRUE(model.fit());
    EXPECT_EQ(model.fit()->count, DriftModel::memory);
    EXPECT_NEAR(model.fit()->slope_ppm(), 1, 1e-9);
    EXPECT_EQ(model.global({30 * second}).count, 30 * second + 20'000);
}

TEST(DriftModel, ForgetsTheOldLineWhenAnOffsetContradictsIt) {
    auto model = steady(6, 0, 1000);
    EXPECT_TRUE(model.add(link(6 * second, 56'000, 100)));
    ASSERT_TRUE(model.fit());
    EXPECT_EQ(model.fit()->count, 2U);
    EXPECT_NEAR(model.fit()->slope_ppm(), 51, 1e-6);
    EXPECT_FALSE(model.add(link(7 * second, 107'000, 100)));
    EXPECT_EQ(model.fit()->count, 3U);
    EXPECT_EQ(model.global({8 * second}).count, 8 * second + 158'000);
}

TEST(DriftModel, IsAsUnsureAsBoundsAndDriftLimitLeaveOpenWithFewerThanThreeOffsets) {
    const auto one = steady(1, 0, 1000);
    EXPECT_EQ(one.uncertainty_ns({0}), 0);
    EXPECT_EQ(one.uncertainty_ns({second}), 500'000);
    EXPECT_EQ(one.uncertainty_ns({-second}), 500'000);
    // Two offsets know the slope as well as their bounds do.
    const auto two = steady(2, 0, 1000);
    EXPECT_EQ(two.uncertainty_ns({second}), 0);
    EXPECT_NEAR(two.uncertainty_ns({11 * second}), 10 * 200, 1);
}

// The offsets of the closed form in tests/clock/drift.cpp: residual sqrt(1.6e6 / 3), Sxx = 10.
TEST(DriftModel, IsAsUnsureAsItsLine) {
    DriftModel model;
    std::int64_t at = 0;
    for (const std::int64_t offset : {0, 1000, 1000, 3000, 5000}) {
        EXPECT_FALSE(model.add(link(at, offset, 2000)));
        at += second;
    }
    for (const int after : {0, 1, 4, 100}) {
        EXPECT_NEAR(model.uncertainty_ns({(2 + after) * second}),
                    3.182446 * std::sqrt(1.6e6 / 3 * (0.2 + after * after / 10.0)), 0.1);
    }
}

TEST(DriftModel, DoesNotTrustTheSlopeOfTwoOffsetsCloseTogether) {
    DriftModel model;
    model.add(link(0, 0, 1000));
    model.add(link(100'000, 1000, 1000));
    EXPECT_EQ(model.global({10 * second}).count, 10 * second + 1000);
    EXPECT_NEAR(model.uncertainty_ns({10 * second}), 5'000'000, 100);
}

TEST(DriftModel, GrowsMoreUnsureWithTime) {
    DriftModel model;
    for (int i = 0; i < 8; ++i) {
        model.add(link(i * second, i * i % 5 * 10, 100));
    }
    double last = 0;
    for (int time = 7; time < 1000; time += 10) {
        EXPECT_GT(model.uncertainty_ns({time * second}), last);
        last = model.uncertainty_ns({time * second});
    }
}

TEST(DriftModel, OfASharedClockIsThatClock) {
    DriftModel model;
    model.set_shared();
    EXPECT_EQ(model.global({123}).count, 123);
    EXPECT_EQ(model.own({123}).count, 123);
    EXPECT_EQ(model.uncertainty_ns({second}), 0);
}

TEST(DriftModel, RefusesTimesThatDoNotFit) {
    constexpr auto far = std::numeric_limits<std::int64_t>::max() - 1000;
    const auto model = steady(1, far, 0);
    EXPECT_EQ(model.global({1000}).count, far + 1000);
    EXPECT_THROW(static_cast<void>(model.global({1001})), NotMeasured);
    EXPECT_THROW(static_cast<void>(model.own({-2000})), NotMeasured);
}

}  // namespace
}  // namespace fathom::clock
