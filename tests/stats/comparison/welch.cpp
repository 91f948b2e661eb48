#include "stats/comparison/welch.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace fathom::stats {
namespace {

using Values = std::vector<double>;

TEST(Welch, AgreesWithTheClosedFormOfTwoDegreesOfFreedom) {
    // Of two values each with the same variance: t = 10 / sqrt(2), and p = 1 - t / sqrt(2 + t^2).
    const double t = 10 / std::sqrt(2.0);
    EXPECT_NEAR(welch_p(Values{0, 2}, Values{10, 12}), 1 - t / std::sqrt(2 + t * t), 1e-12);
    EXPECT_NEAR(welch_p(Values{10, 12}, Values{0, 2}), 1 - t / std::sqrt(2 + t * t), 1e-12) << "both sides";
}

TEST(Welch, TakesTheDegreesOfFreedomOfTheSampleThatVaries) {
    // The other has no variance, so one degree of freedom is left: p = 1 - 2 atan(t) / pi.
    const double t = 10.0;
    const double p = 1 - 2 * std::atan(t) / std::acos(-1.0);
    EXPECT_NEAR(welch_p(Values{0, 2}, Values{11, 11, 11, 11}), p, 1e-12);
}

TEST(Welch, SaysNothingOfSingleValues) {
    EXPECT_EQ(welch_p(Values{1}, Values{2, 3, 4}), 1);
    EXPECT_EQ(welch_p(Values{}, Values{}), 1);
}

TEST(Welch, OfValuesThatDoNotVaryIsCertain) {
    EXPECT_EQ(welch_p(Values{5, 5}, Values{5, 5}), 1);
    EXPECT_EQ(welch_p(Values{5, 5}, Values{6, 6}), 0);
}

}  // namespace
}  // namespace fathom::stats
