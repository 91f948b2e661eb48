#include "clock/drift.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "clock/links.hpp"

namespace fathom::clock {
namespace {

/// One link a second with the same bound.
std::vector<Link> every_second(const std::vector<std::int64_t>& offsets, std::int64_t bound = 100) {
    std::vector<Link> links;
    for (const auto offset : offsets) {
        links.push_back(link(static_cast<std::int64_t>(links.size()) * second, offset, bound));
    }
    return links;
}

TEST(FitDrift, NeedsTwoOffsetsAtDifferentTimes) {
    EXPECT_FALSE(fit_drift({}));
    EXPECT_FALSE(fit_drift(every_second({5})));
    EXPECT_FALSE(fit_drift(std::vector{link(7, 1, 1), link(7, 2, 1), link(7, 3, 1)}));
    EXPECT_TRUE(fit_drift(every_second({5, 5})));
}

TEST(FitDrift, GoesThroughTwoOffsetsAndKnowsNoError) {
    const auto fit = fit_drift(every_second({1000, 3000}));
    ASSERT_TRUE(fit);
    EXPECT_EQ(fit->count, 2U);
    EXPECT_EQ(fit->origin.count, second / 2);
    EXPECT_DOUBLE_EQ(fit->slope_ppm(), 2);
    EXPECT_EQ(fit->offset_at(fit->origin).count, 2000);
    EXPECT_EQ(fit->offset_at({5 * second}).count, 11'000);
    EXPECT_EQ(fit->error_at({5 * second}), 0);
    EXPECT_EQ(fit->half_interval_at({0}), std::numeric_limits<double>::infinity());
}

// With times in seconds: mean time 2, mean offset 2000, Sxx = 10, Sxy = 12000, rests 400 200 -1000 -200 600,
// so that their sum of squares is 1.6e6 with 3 degrees of freedom.
TEST(FitDrift, GivesTheClosedFormOfLeastSquares) {
    const auto fit = fit_drift(every_second({0, 1000, 1000, 3000, 5000}));
    ASSERT_TRUE(fit);
    const double residual = std::sqrt(1.6e6 / 3);
    EXPECT_EQ(fit->count, 5U);
    EXPECT_EQ(fit->origin.count, 2 * second);
    EXPECT_EQ(fit->offset_at(fit->origin).count, 2000);
    EXPECT_DOUBLE_EQ(fit->slope_ppm(), 1.2);
    EXPECT_DOUBLE_EQ(fit->residual_ns, residual);
    EXPECT_DOUBLE_EQ(fit->slope_error_ppm(), residual / std::sqrt(10) / 1000);
    EXPECT_DOUBLE_EQ(fit->weight, 5);
    EXPECT_DOUBLE_EQ(fit->spread_ns2, 10e18);
    EXPECT_EQ(fit->offset_at({0}).count, -400);
    EXPECT_DOUBLE_EQ(fit->rest_of(link(0, 0, 1)), 400);
    EXPECT_DOUBLE_EQ(fit->error_at({2 * second}), residual / std::sqrt(5));
    EXPECT_DOUBLE_EQ(fit->error_at({6 * second}), residual * std::sqrt(0.2 + 1.6));
    EXPECT_DOUBLE_EQ(fit->error_at({-2 * second}), fit->error_at({6 * second}));
    // Student's t for 3 degrees of freedom at 97.5 %, from tables.
    EXPECT_NEAR(fit->half_interval_at({6 * second}) / fit->error_at({6 * second}), 3.182446, 1e-6);
}

TEST(FitDrift, UsesTheTableOfStudentsT) {
    for (const auto& [freedom, t] : {std::pair{1, 12.7062}, std::pair{2, 4.30265}, std::pair{5, 2.57058},
                                     std::pair{10, 2.22814}, std::pair{30, 2.04227}}) {
        std::vector<std::int64_t> offsets;
        for (int i = 0; i < freedom + 2; ++i) {
            offsets.push_back(i % 2 * 100);
        }
        const auto fit = fit_drift(every_second(offsets));
        ASSERT_TRUE(fit);
        EXPECT_NEAR(fit->half_interval_at({0}) / fit->error_at({0}), t, 1e-4) << freedom;
    }
}

// With times in seconds and weights 1, 1, 1/4: mean time 2/3, mean offset 100, Sxx = 1, Sxy = 300, rests
// 100, -200, 400, weighted sum of squares 90000 with 1 degree of freedom.
TEST(FitDrift, WeighsByTheInverseSquareOfTheBound) {
    const auto fit = fit_drift(std::vector{link(0, 0, 50), link(second, 0, 50), link(2 * second, 900, 100)});
    ASSERT_TRUE(fit);
    constexpr double near = 1e-6;
    EXPECT_EQ(fit->origin.count, 666'666'667);
    EXPECT_DOUBLE_EQ(fit->weight, 2.25);
    EXPECT_NEAR(fit->slope_ppm(), 0.3, near);
    EXPECT_EQ(fit->offset_at(fit->origin).count, 100);
    EXPECT_NEAR(fit->residual_ns, 300, near);
    EXPECT_NEAR(fit->slope_error_ppm(), 0.3, near);
    EXPECT_NEAR(fit->error_at(fit->origin), 200, near);
}

TEST(FitDrift, TakesTheLargerSideOfUnevenBounds) {
    auto links = std::vector{link(0, 0, 50), link(second, 0, 50), link(2 * second, 900, 100)};
    links[1].low = links[1].offset;
    links[2].high = links[2].offset;
    const auto fit = fit_drift(links);
    ASSERT_TRUE(fit);
    EXPECT_NEAR(fit->slope_ppm(), 0.3, 1e-6);
}

TEST(FitDrift, TakesOffsetsWithoutError) {
    const auto fit = fit_drift(every_second({0, 10, 20}, 0));
    ASSERT_TRUE(fit);
    EXPECT_DOUBLE_EQ(fit->slope_ppm(), 0.01);
    EXPECT_DOUBLE_EQ(fit->weight, 3);
    EXPECT_NEAR(fit->residual_ns, 0, 1e-9);
}

TEST(FitDrift, DoesNotDependOnWhereTheClocksBegan) {
    constexpr std::int64_t start = 4'000'000'000'000'000;  // 46 days
    auto links = every_second({0, 1000, 1000, 3000, 5000});
    const auto plain = fit_drift(links);
    for (auto& one : links) {
        one = link(one.at.count + start, one.offset.count - start, 100);
    }
    const auto moved = fit_drift(links);
    ASSERT_TRUE(plain && moved);
    EXPECT_DOUBLE_EQ(moved->slope, plain->slope);
    EXPECT_DOUBLE_EQ(moved->slope_error, plain->slope_error);
    EXPECT_EQ(moved->offset_at({start + 7 * second}).count + start, plain->offset_at({7 * second}).count);
}

TEST(FitDrift, LosesNothingOfLargeOffsets) {
    constexpr std::int64_t epoch = 1'700'000'000'000'000'001;
    const auto fit = fit_drift(every_second({epoch, epoch + 1000, epoch + 2000}));
    ASSERT_TRUE(fit);
    EXPECT_EQ(fit->offset_at({3 * second}).count, epoch + 3000);
}

TEST(FitDrift, RefusesOffsetsThatAreTooFarApart) {
    constexpr std::int64_t far = 6'000'000'000'000'000'000;
    const std::vector links{link(0, -far, 1), link(second, far, 1), link(2 * second, far, 1)};
    EXPECT_THROW(fit_drift(links), NotMeasured);
    EXPECT_THROW(steady_drift_possible(links), NotMeasured);
}

TEST(SlopeChanged, FindsWhatHidesWithinTheBounds) {
    std::mt19937_64 random(11);
    std::normal_distribution<double> noise(0, 50);
    int alarms = 0;
    for (int trial = 0; trial < 200; ++trial) {
        std::vector<Link> even;
        std::vector<Link> bent;
        for (std::int64_t i = 0; i < 40; ++i) {
            const auto error = std::llround(noise(random));
            even.push_back(link(i * second, 1000 * i + error, 5000));
            // 0.1 ppm more from the middle on: 2 us in all, within the bounds of 5 us.
            bent.push_back(
                link(i * second, 1000 * i + std::max<std::int64_t>(0, i - 20) * 100 + error, 5000));
        }
        ASSERT_TRUE(steady_drift_possible(bent)) << "the hard bounds do not see it";
        EXPECT_TRUE(slope_changed(bent)) << trial;
        alarms += slope_changed(even) ? 1 : 0;
    }
    EXPECT_EQ(alarms, 0);
    EXPECT_FALSE(slope_changed(every_second({0, 0, 0, 0, 0, 0, 500, 1000}))) << "too few to tell";
}

TEST(SlopeRange, ComesFromTheBoundsOfTwoOffsets) {
    const auto range = slope_range(link(0, 0, 1000), link(second, 20'000, 3000));
    EXPECT_DOUBLE_EQ(range.low, 16e-6);
    EXPECT_DOUBLE_EQ(range.high, 24e-6);
    EXPECT_DOUBLE_EQ(range.middle(), 20e-6);
    EXPECT_DOUBLE_EQ(range.half_width(), 4e-6);
}

TEST(SlopeRange, NeverExceedsTheDriftLimit) {
    const auto close = slope_range(link(0, 0, 1000), link(100'000, 1000, 1000));
    EXPECT_DOUBLE_EQ(close.low, -500e-6);
    EXPECT_DOUBLE_EQ(close.high, 500e-6);
    EXPECT_DOUBLE_EQ(slope_range(link(7, 0, 1), link(7, 5, 1)).half_width(), 500e-6);
}

struct Correlated {
    double widening;     ///< slope error over its closed form for independent rests
    double correlation;  ///< of neighbouring rests
};

Correlated correlated(const std::vector<Link>& links) {
    const auto fit = fit_drift(links);
    double squares = 0;
    double neighbours = 0;
    double last = 0;
    for (const auto& one : links) {
        const double rest = fit->rest_of(one);
        squares += rest * rest;
        neighbours += rest * last;
        last = rest;
    }
    return {fit->slope_error * std::sqrt(fit->spread_ns2) / fit->residual_ns, neighbours / squares};
}

TEST(FitDrift, WidensTheErrorOfTheSlopeWhereNeighboursAreAlike) {
    const auto alike = correlated(every_second({0, 90, 110, 100, 20, -80, -100, -95, 5, 100, 100, 10}));
    EXPECT_GT(alike.correlation, 0.3);
    EXPECT_NEAR(alike.widening, std::sqrt((1 + alike.correlation) / (1 - alike.correlation)), 1e-9);
    const auto opposite = correlated(every_second({0, 90, 0, 90, 0, 90, 0, 90, 0, 90, 0, 90}));
    EXPECT_LT(opposite.correlation, 0);
    EXPECT_DOUBLE_EQ(opposite.widening, 1);
}

TEST(SteadyDrift, IsAlwaysPossibleForTwoOffsets) {
    EXPECT_TRUE(steady_drift_possible({}));
    EXPECT_TRUE(steady_drift_possible(every_second({0}, 0)));
    EXPECT_TRUE(steady_drift_possible(every_second({0, 999'999}, 0)));
}

TEST(SteadyDrift, IsPossibleForEveryLineWithinTheBounds) {
    std::mt19937_64 random(1);
    for (int trial = 0; trial < 2000; ++trial) {
        const auto start = between(random, -second, second);
        const auto parts_per_billion = between(random, -500'000, 500'000);
        const auto width = std::int64_t{1} << between(random, 0, 20);
        std::vector<Link> links;
        std::int64_t time = between(random, -1000, 1000) * second;
        for (auto left = between(random, 3, 30); left > 0; --left) {
            const auto microseconds = between(random, 1, 10'000'000);
            time += microseconds * 1000;
            const auto truth = start + time / 1000 * parts_per_billion / 1'000'000;
            const auto low = truth - between(random, 1, width);
            const auto high = truth + between(random, 1, width);
            links.push_back({{time}, {between(random, low, high)}, {low}, {high}});
        }
        ASSERT_TRUE(steady_drift_possible(links)) << trial;
    }
}

TEST(SteadyDrift, IsImpossibleAfterAFrequencyStepThatBoundsDoNotAllow) {
    // A line from -B over +B reaches 3 B, and an offset up to 4 B reaches down to there.
    constexpr std::int64_t bound = 1000;
    for (const int sign : {-1, 1}) {
        EXPECT_TRUE(steady_drift_possible(every_second({0, 0, sign * 4 * bound}, bound)));
        EXPECT_FALSE(steady_drift_possible(every_second({0, 0, sign * (4 * bound + 5)}, bound)));
        EXPECT_FALSE(steady_drift_possible(every_second({0, 0, 0, 0, sign * 3 * bound}, bound)));
    }
}

TEST(SteadyDrift, IsImpossibleAfterAJump) {
    EXPECT_FALSE(steady_drift_possible(every_second({0, 0, 0, 5000, 5000, 5000}, 1000)));
    EXPECT_TRUE(steady_drift_possible(every_second({0, 0, 0, 1900, 1900, 1900}, 1000)));
}

/// Vertical segments have a common line if every three of them have (Helly): if the middle one reaches the
/// lines between the ends of the others.
bool every_three_have_a_line(const std::vector<Link>& links, double slack) {
    const auto on_line = [](double t0, double y0, double t1, double y1, double time) {
        return y0 + (y1 - y0) * (time - t0) / (t1 - t0);
    };
    const auto number = [](Nanoseconds time) { return static_cast<double>(time.count); };
    for (std::size_t i = 0; i < links.size(); ++i) {
        for (std::size_t j = i + 1; j < links.size(); ++j) {
            for (std::size_t k = j + 1; k < links.size(); ++k) {
                const auto& [a, b, c] = std::tie(links[i], links[j], links[k]);
                const double top =
                    on_line(number(a.at), number(a.high), number(c.at), number(c.high), number(b.at));
                const double bottom =
                    on_line(number(a.at), number(a.low), number(c.at), number(c.low), number(b.at));
                if (number(b.low) > top + slack || number(b.high) < bottom - slack) {
                    return false;
                }
            }
        }
    }
    return true;
}

TEST(SteadyDrift, AgreesWithLookingAtEveryThreeOffsets) {
    std::mt19937_64 random(2);
    int possible = 0;
    int impossible = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        std::vector<Link> links;
        std::int64_t time = 0;
        const auto scatter = between(random, 1, 400);
        for (auto left = between(random, 3, 8); left > 0; --left) {
            time += between(random, 1, 1000) * 1000;
            links.push_back(link(time, time / 10'000 + between(random, -scatter, scatter), 100));
        }
        if (every_three_have_a_line(links, 0)) {
            EXPECT_TRUE(steady_drift_possible(links)) << trial;
            ++possible;
        } else if (!every_three_have_a_line(links, 4)) {
            EXPECT_FALSE(steady_drift_possible(links)) << trial;
            ++impossible;
        }
    }
    EXPECT_GT(possible, 500);
    EXPECT_GT(impossible, 500);
}

}  // namespace
}  // namespace fathom::clock
