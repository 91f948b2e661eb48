#include "stats/change_points/refinement.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include <gtest/gtest.h>

#include "stats/change_points/interpolated.hpp"

namespace fathom::stats {
namespace {

using CurveOfSizes = std::function<double(std::int64_t)>;
using Points = std::map<std::int64_t, double>;

constexpr std::int64_t jump_at = 12288;
constexpr std::int64_t largest = 4 << 20;

/// A jump down and a bend at 12288 bytes.
double two_laws(std::int64_t x) {
    const auto bytes = static_cast<double>(x);
    return x <= jump_at ? 1000 + bytes : 2500 + bytes / 2;
}

Refinement started(double epsilon, std::size_t most_points, const Points& points) {
    Refinement refinement(epsilon, most_points);
    for (const auto& [x, t] : points) {
        refinement.add(x, t);
    }
    return refinement;
}

Points doubling(const CurveOfSizes& curve, std::int64_t last = largest) {
    Points points;
    for (std::int64_t x = 1; x <= last; x *= 2) {
        points.emplace(x, curve(x));
    }
    return points;
}

Refinement refined(const CurveOfSizes& curve, double epsilon) {
    auto refinement = started(epsilon, 10'000, doubling(curve));
    while (const auto x = refinement.next()) {
        refinement.add(*x, curve(*x));
    }
    return refinement;
}

/// A number of sizes at one ratio, as far as whole numbers allow.
Points uniform(const CurveOfSizes& curve, int count) {
    Points points;
    for (int i = 0; i < count; ++i) {
        const auto x = std::llround(std::pow(static_cast<double>(largest), i / (count - 1.0)));
        points.emplace(x, curve(x));
    }
    return points;
}

/// The largest relative error between the points, looked for densely except next to the jump.
double worst_error(const Points& points, const CurveOfSizes& curve, double around_the_jump) {
    double worst = 0;
    for (double place = 1; place < largest; place += std::max(1.0, place / 2000)) {
        const auto x = static_cast<std::int64_t>(place);
        if (std::abs(place / static_cast<double>(jump_at) - 1) > around_the_jump) {
            worst = std::max(worst, std::abs(interpolated(points, x) - curve(x)) / curve(x));
        }
    }
    return worst;
}

TEST(Refinement, EstimatesNothingFromTwoPoints) {
    auto refinement = started(0.01, 100, {{1, 10}, {100, 1000}});
    EXPECT_FALSE(refinement.next());
    EXPECT_EQ(refinement.largest_error(), 0);
}

TEST(Refinement, TakesTheSmallestOfBothPredictionsAndTheWidth) {
    const auto refinement = started(0, 100, {{8, 14}, {10, 15}, {20, 40}, {30, 65}});
    // From the right: 40 - 2.5 x 10 = 15 at 10, no error. From the left: 0.5 a step, 20 at 20, half of 40.
    // The first segment has the prediction of 10..20 alone: 15 - 2 x 2.5 = 10 at 8, 4 of 14; its width is
    // 1/4. The last has that from the left: 65 at 30, no error.
    EXPECT_DOUBLE_EQ(refinement.largest_error(), 0.25);
    EXPECT_EQ(refinement.next(), 9);
}

TEST(Refinement, UsesTheOnePredictionItHasAtTheEnds) {
    // From the right 100 is predicted at 100, but 150 was measured: a third off. From the left at 400: 0 for
    // 400.
    const auto refinement = started(0, 100, {{100, 150}, {200, 200}, {400, 400}});
    EXPECT_NEAR(refinement.largest_error(), std::max(50.0 / 150, 100.0 / 400), 1e-12);
    EXPECT_EQ(refinement.next(), 141) << "the geometric middle of 100 and 200, rounded";
}

TEST(Refinement, IsContentWithALine) {
    const auto refinement = refined([](std::int64_t x) { return 1000 + 0.1 * static_cast<double>(x); }, 1e-6);
    EXPECT_EQ(refinement.points().size(), 23U);
    EXPECT_LT(refinement.largest_error(), 1e-12);
}

TEST(Refinement, SplitsAJumpUntilItIsNarrow) {
    constexpr double epsilon = 0.01;
    const auto refinement = refined([](std::int64_t x) { return x <= jump_at ? 1000.0 : 2000.0; }, epsilon);
    const auto above = refinement.points().upper_bound(jump_at);
    const auto below = std::prev(above);
    EXPECT_LT(static_cast<double>(above->first - below->first) / static_cast<double>(below->first), epsilon);
    EXPECT_LT(refinement.largest_error(), epsilon);
    EXPECT_LE(refinement.points().size(), 23U + 8U) << "log2(1 / epsilon) halvings and one more";
}

TEST(Refinement, GoesDownToNeighbouringSizesAndNoFurther) {
    Refinement refinement = started(0, 1000, {{1, 1}, {2, 5}, {3, 2}, {4, 9}, {6, 1}});
    EXPECT_EQ(refinement.next(), 5);
    refinement.add(5, 7);
    EXPECT_FALSE(refinement.next());
    EXPECT_EQ(refinement.largest_error(), 0) << "no size is left out";
}

TEST(Refinement, StopsAtTheMostPoints) {
    auto refinement = started(0, 10, doubling(two_laws, 32));
    while (const auto x = refinement.next()) {
        refinement.add(*x, std::sqrt(static_cast<double>(*x)));
    }
    EXPECT_EQ(refinement.points().size(), 10U);
}

TEST(Refinement, SplitsFromZeroInTheArithmeticMiddle) {
    const auto refinement = started(0.01, 100, {{0, 100}, {1000, 200}, {2000, 3000}});
    EXPECT_GT(refinement.largest_error(), 1) << "no width bounds it";
    EXPECT_EQ(refinement.next(), 500);
}

TEST(Refinement, OffersWhatCannotBeMeasuredNoMore) {
    auto refinement = started(0.01, 100, {{100, 150}, {200, 200}, {400, 400}});
    ASSERT_EQ(refinement.next(), 141);
    const double error = refinement.largest_error();
    refinement.skip(141);
    EXPECT_EQ(refinement.next(), 283) << "the next worst";
    EXPECT_EQ(refinement.largest_error(), error) << "skipping makes nothing better";
    refinement.skip(283);
    EXPECT_FALSE(refinement.next());
}

TEST(Refinement, DoesNotDependOnTheOrderOfPoints) {
    auto shuffled = Refinement(0.001, 100);
    for (const std::int64_t x : {64, 1, 16, 512, 4, 2, 256, 8, 128, 32}) {
        shuffled.add(x, std::sqrt(static_cast<double>(x)));
    }
    auto sorted =
        started(0.001, 100, doubling([](std::int64_t x) { return std::sqrt(static_cast<double>(x)); }, 512));
    while (const auto x = sorted.next()) {
        ASSERT_EQ(shuffled.next(), x);
        ASSERT_EQ(shuffled.largest_error(), sorted.largest_error());
        sorted.add(*x, std::sqrt(static_cast<double>(*x)));
        shuffled.add(*x, std::sqrt(static_cast<double>(*x)));
    }
    EXPECT_FALSE(shuffled.next());
}

TEST(Refinement, KnowsAfterEachPointWhatItWouldKnowHadItStartedThere) {
    auto refinement = started(0.001, 60, doubling(two_laws));
    while (const auto x = refinement.next()) {
        refinement.add(*x, two_laws(*x));
        const auto anew = started(0.001, 60, refinement.points());
        ASSERT_EQ(refinement.next(), anew.next());
        ASSERT_EQ(refinement.largest_error(), anew.largest_error());
    }
}

TEST(Refinement, ReplacesAPointMeasuredAgain) {
    auto refinement = started(0, 100, {{100, 150}, {200, 200}, {400, 400}});
    refinement.add(100, 100);
    EXPECT_EQ(refinement.points().size(), 3U);
    EXPECT_NEAR(refinement.largest_error(), 0, 1e-12);
}

TEST(Refinement, NeedsAtMostHalfThePointsOfAUniformGrid) {
    for (const double epsilon : {0.05, 0.01}) {
        const auto points = refined(two_laws, epsilon).points();
        const double reached = worst_error(points, two_laws, epsilon);
        EXPECT_LT(reached, epsilon);
        int count = static_cast<int>(points.size());
        while (worst_error(uniform(two_laws, count), two_laws, epsilon) > std::max(reached, 1e-9)) {
            count += std::max(1, count / 20);
            ASSERT_LT(count, 100'000);
        }
        EXPECT_LE(2 * points.size(), uniform(two_laws, count).size()) << "epsilon " << epsilon;
    }
}

}  // namespace
}  // namespace fathom::stats
