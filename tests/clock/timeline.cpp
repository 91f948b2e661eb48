#include "clock/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "clock/links.hpp"

namespace fathom::clock {
namespace {

double uniform(std::mt19937_64& random, double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
}

/// How far one clock is ahead of another whose drift changes once.
struct SteppedDrift {
    double start_ns;
    double before;  ///< offset per time
    double after;
    double corner_ns;  ///< when it changes

    [[nodiscard]] double at(double time) const {
        return start_ns + before * time + (time > corner_ns ? (after - before) * (time - corner_ns) : 0);
    }
    /// What synchronisations at whole seconds find if they err by up to `bound`.
    [[nodiscard]] std::vector<Link> links(std::mt19937_64& random, int count, std::int64_t bound) const {
        std::vector<Link> all;
        for (int i = 0; i < count; ++i) {
            const auto error =
                uniform(random, 1.0 - static_cast<double>(bound), static_cast<double>(bound) - 1);
            const auto found = at(static_cast<double>(i * second)) + error;
            all.push_back(link(i * second, std::llround(found), bound));
        }
        return all;
    }
};

/// The furthest that the truth lies outside of the bound, from a second before the first link to a second
/// after the last; what rounding may do is allowed for.
double furthest_outside(const std::vector<Link>& links, const SteppedDrift& truth) {
    const Timeline timeline(links);
    double furthest = 0;
    const auto look_at = [&](std::int64_t own) {
        const double offset = static_cast<double>((timeline.global({own}) - Nanoseconds{own}).count);
        const double error = std::abs(offset - truth.at(static_cast<double>(own)));
        furthest = std::max(furthest, error - 1 - static_cast<double>(timeline.bound({own}).count));
    };
    const auto end = links.back().at.count + second;
    for (std::int64_t own = -second; own <= end; own += second / 16) {
        look_at(own);
    }
    look_at(std::llround(truth.corner_ns));
    return furthest;
}

TEST(Timeline, AddsTheOffsetOfAnOnlyLink) {
    const Timeline timeline({link(100, 7000, 20)});
    EXPECT_EQ(timeline.global({100}).count, 7100);
    EXPECT_EQ(timeline.global({-second}).count, 7000 - second);
    EXPECT_EQ(timeline.bound({100}).count, 20);
    EXPECT_EQ(timeline.bound({100 + second}).count, 20 + 500'000);
    EXPECT_EQ(timeline.bound({100 - second}).count, 20 + 500'000);
}

TEST(Timeline, InterpolatesBetweenTwoLinks) {
    const Timeline timeline({link(0, 1000, 100), link(second, 3000, 200)});
    EXPECT_EQ(timeline.global({0}).count, 1000);
    EXPECT_EQ(timeline.global({second / 4}).count, second / 4 + 1500);
    EXPECT_EQ(timeline.global({second / 2}).count, second / 2 + 2000);
    EXPECT_EQ(timeline.global({second}).count, second + 3000);
    EXPECT_EQ(timeline.bound({0}).count, 100);
    EXPECT_EQ(timeline.bound({second / 4}).count, 125);
    EXPECT_EQ(timeline.bound({second}).count, 200);
}

TEST(Timeline, InterpolatesEachSideOfTheBoundAndTakesTheLarger) {
    const Timeline timeline({{{0}, {0}, {-100}, {0}}, {{1000}, {0}, {0}, {300}}});
    EXPECT_EQ(timeline.bound({0}).count, 100);
    EXPECT_EQ(timeline.bound({100}).count, 90);
    EXPECT_EQ(timeline.bound({250}).count, 75);
    EXPECT_EQ(timeline.bound({500}).count, 150);
}

TEST(Timeline, GoesOnWithTheNearestDriftBeyondItsEnds) {
    const Timeline timeline({link(0, 0, 5000), link(second, 1000, 5000), link(2 * second, 3000, 6000)});
    EXPECT_EQ(timeline.global({-second}).count, -second - 1000);
    EXPECT_EQ(timeline.global({4 * second}).count, 4 * second + 7000);
    // The slopes are known to 10 us and 11 us a second.
    EXPECT_EQ(timeline.bound({-second}).count, 5000 + 10'000);
    EXPECT_EQ(timeline.bound({4 * second}).count, 6000 + 22'000);
}

TEST(Timeline, DoesNotTrustTheSlopeOfTwoLinksCloseTogether) {
    const Timeline timeline({link(0, 0, 1000), link(second, 0, 1000), link(second + 100'000, 1000, 1000)});
    EXPECT_EQ(timeline.global({11 * second}).count, 11 * second + 1000);
    EXPECT_GE(timeline.bound({11 * second}).count, 4'900'000) << "the drift limit is all that is known";
}

TEST(Timeline, TakesEachPhaseByItself) {
    const Timeline timeline({link(0, 0, 5000), link(second, 1000, 5000), link(3 * second, 0, 5000)});
    EXPECT_TRUE(timeline.breaks().empty());
    EXPECT_EQ(timeline.global({second / 2}).count, second / 2 + 500);
    EXPECT_EQ(timeline.global({second}).count, second + 1000);
    EXPECT_EQ(timeline.global({2 * second}).count, 2 * second + 500);
}

TEST(Timeline, TakesTwoLinksOfTheSameTime) {
    const Timeline timeline({link(0, 0, 10), link(second, 1000, 10), link(second, 1004, 10)});
    EXPECT_EQ(timeline.global({second / 2}).count, second / 2 + 500);
    EXPECT_NEAR(static_cast<double>(timeline.global({second}).count - second), 1002, 2);
    EXPECT_EQ(timeline.bound({second}).count, 10);
}

TEST(Timeline, IsExactWhereOffsetsAreLarge) {
    constexpr auto far = (std::int64_t{1} << 61) + 1;
    const Timeline timeline({link(far, -far, 1), link(far + 1000, 1000 - far, 1)});
    EXPECT_EQ(timeline.global({far}).count, 0);
    EXPECT_EQ(timeline.global({far + 501}).count, 1002);
    EXPECT_EQ(timeline.bound({far + 501}).count, 1);
}

TEST(Timeline, FindsNoBreakInAnEvenDriftAndKeepsTheTruthInside) {
    std::mt19937_64 random(1);
    for (int trial = 0; trial < 300; ++trial) {
        const double slope = uniform(random, -200e-6, 200e-6);
        const SteppedDrift truth{uniform(random, -1e9, 1e9), slope, slope, 0};
        const auto links = truth.links(random, 2 + trial % 10, 1000);
        EXPECT_TRUE(Timeline(links).breaks().empty()) << trial;
        EXPECT_EQ(furthest_outside(links, truth), 0) << trial;
    }
}

TEST(Timeline, FindsAStepOfTheFrequencyAtASynchronisation) {
    std::mt19937_64 random(2);
    const SteppedDrift truth{0, 10e-6, 60e-6, 4.0 * second};
    const Timeline timeline(truth.links(random, 9, 2));
    ASSERT_EQ(timeline.breaks().size(), 1U);
    const auto& found = timeline.breaks().front();
    EXPECT_LE(found.from.count, 4 * second);
    EXPECT_EQ(found.to.count, 5 * second);
    EXPECT_NEAR(found.before_ppm, 10, 0.01);
    EXPECT_NEAR(found.after_ppm, 60, 0.01);
    EXPECT_LT(timeline.bound({second / 2}).count, 20) << "far from it nothing changes";
    EXPECT_EQ(timeline.bound({6 * second}).count, 2);
}

TEST(Timeline, WidensTheBoundAroundABreakByWhatItLeavesOpen) {
    // 0 ppm, then 40 ppm from the middle of the third phase: it drifts by 20 us in that phase.
    const SteppedDrift truth{0, 0, 40e-6, 2.5 * second};
    std::mt19937_64 random(3);
    const Timeline timeline(truth.links(random, 8, 2));
    ASSERT_EQ(timeline.breaks().size(), 1U) << "one step is one break";
    const auto& found = timeline.breaks().front();
    EXPECT_LE(found.from.count, 2 * second);
    EXPECT_EQ(found.to.count, 3 * second);
    EXPECT_NEAR(found.before_ppm, 0, 0.01);
    EXPECT_NEAR(found.after_ppm, 40, 0.01);
    // Interpolation errs by 10 us at the corner.
    EXPECT_EQ(timeline.global({5 * second / 2}).count, 5 * second / 2 + 10'000);
    EXPECT_GE(found.uncertainty.count, 10'000);
    EXPECT_LE(found.uncertainty.count, 20'010);
    EXPECT_GE(timeline.bound({5 * second / 2}).count, 10'000);
    EXPECT_EQ(timeline.bound({6 * second}).count, 2);
}

TEST(Timeline, KeepsTheTruthInsideWhereverAStepIsFound) {
    std::mt19937_64 random(4);
    constexpr std::int64_t bound = 1000;
    constexpr int phases = 8;
    int clear = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        const int phase = std::uniform_int_distribution<int>(0, phases - 1)(random);
        const double share = uniform(random, 0, 1);
        const SteppedDrift truth{uniform(random, -1e9, 1e9), uniform(random, -200e-6, 200e-6),
                                 uniform(random, -200e-6, 200e-6), (phase + share) * second};
        const auto links = truth.links(random, phases + 1, bound);
        const Timeline timeline(links);
        // A line may lie 2 bounds off the truth at each of three offsets, which hides a step of up to 8
        // bounds in its phase; in the first phase it hides behind a free slope.
        const double seen = std::abs(truth.after - truth.before) * (1 - share) * (1 - share) * second;
        if (phase > 0 && seen >= 9 * bound) {
            ++clear;
            ASSERT_FALSE(timeline.breaks().empty()) << trial;
            EXPECT_LE(timeline.breaks().front().from.count, phase * second) << trial;
            EXPECT_GE(timeline.breaks().front().to.count, (phase + 1) * second) << trial;
        }
        if (!timeline.breaks().empty()) {
            EXPECT_EQ(furthest_outside(links, truth), 0) << trial;
        }
    }
    EXPECT_GT(clear, 1000);
}

TEST(Timeline, KnowsTheLargestBoundOfAStretch) {
    const Timeline timeline(
        {link(0, 0, 10), link(second, 0, 900), link(2 * second, 0, 20), link(3 * second, 0, 5)});
    EXPECT_EQ(timeline.largest_bound({0}, {3 * second}).count, 900)
        << "a worse comparison in the middle counts";
    EXPECT_EQ(timeline.largest_bound({2 * second + 1}, {3 * second}).count, 20);
    EXPECT_EQ(timeline.largest_bound({5 * second / 2}, {5 * second / 2}).count, 20)
        << "its phase's worse end";
}

TEST(Timeline, FindsEveryOneOfSeveralSteps) {
    std::vector<Link> links;
    std::int64_t offset = 0;
    for (int i = 0; i < 24; ++i) {
        links.push_back(link(i * second, offset, 50));
        offset += i / 6 % 2 == 0 ? 0 : 100'000;
    }
    const Timeline timeline(links);
    ASSERT_EQ(timeline.breaks().size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_LE(timeline.breaks()[i].from.count, static_cast<std::int64_t>(i + 1) * 6 * second);
        EXPECT_GE(timeline.breaks()[i].to.count, static_cast<std::int64_t>(i + 1) * 6 * second);
        EXPECT_NEAR(timeline.breaks()[i].after_ppm - timeline.breaks()[i].before_ppm, i % 2 == 0 ? 100 : -100,
                    0.1);
    }
}

}  // namespace
}  // namespace fathom::clock
