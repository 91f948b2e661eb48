#include "stats/least_squares.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace fathom::stats {
namespace {

// x 0 to 4, mean 2 and 2, Sxx = 10, Sxy = 12, residuals 0.4 0.2 -1 -0.2 0.6, their squares 1.6.
TEST(LineFit, GivesTheClosedFormOfEqualWeights) {
    const LineFit fit(std::vector<double>{0, 1, 2, 3, 4}, std::vector<double>{0, 1, 1, 3, 5},
                      std::vector<double>{1, 1, 1, 1, 1});
    EXPECT_DOUBLE_EQ(fit.centre(), 2);
    EXPECT_DOUBLE_EQ(fit.spread(), 10);
    EXPECT_DOUBLE_EQ(fit.slope().value, 1.2);
    EXPECT_DOUBLE_EQ(fit.slope().error, 1 / std::sqrt(10));
    EXPECT_DOUBLE_EQ(fit.at(2).value, 2);
    EXPECT_DOUBLE_EQ(fit.at(2).error, 1 / std::sqrt(5));
    EXPECT_NEAR(fit.at(0).value, -0.4, 1e-15);
    EXPECT_DOUBLE_EQ(fit.at(6).error, std::sqrt(0.2 + 1.6));
    EXPECT_DOUBLE_EQ(fit.covariance(2), 0);
    EXPECT_DOUBLE_EQ(fit.covariance(0), -0.2);
    EXPECT_DOUBLE_EQ(fit.chi_square(), 1.6);
    EXPECT_DOUBLE_EQ(fit.residual_deviation(), std::sqrt(1.6 / 3));
}

// Weights 1, 1, 1/4: mean 2/3 and 1, Sxx = 1, Sxy = 3, residuals 1 -2 4, chi-square 9 with one degree of
// freedom.
TEST(LineFit, GivesTheClosedFormOfUnequalWeights) {
    const LineFit fit(std::vector<double>{0, 1, 2}, std::vector<double>{0, 0, 9},
                      std::vector<double>{1, 1, 0.25});
    EXPECT_DOUBLE_EQ(fit.centre(), 2 / 3.0);
    EXPECT_DOUBLE_EQ(fit.slope().value, 3);
    EXPECT_DOUBLE_EQ(fit.slope().error, 1);
    EXPECT_NEAR(fit.at(0).value, -1, 1e-14);
    EXPECT_DOUBLE_EQ(fit.at(2 / 3.0).error, 1 / std::sqrt(2.25));
    EXPECT_DOUBLE_EQ(fit.chi_square(), 9);
    EXPECT_DOUBLE_EQ(fit.residual_deviation(), 3);
}

TEST(LineFit, GoesThroughTwoPointsAndKnowsNoScatter) {
    const LineFit fit(std::vector<double>{1, 3}, std::vector<double>{5, 9}, std::vector<double>{1, 1e6});
    EXPECT_DOUBLE_EQ(fit.at(1).value, 5);
    EXPECT_DOUBLE_EQ(fit.at(3).value, 9);
    EXPECT_EQ(fit.residual_deviation(), 0);
}

TEST(LineFit, IsLevelWhereAllPointsShareOnePlace) {
    const LineFit fit(std::vector<double>{7, 7}, std::vector<double>{1, 4}, std::vector<double>{2, 1});
    EXPECT_EQ(fit.spread(), 0);
    EXPECT_DOUBLE_EQ(fit.at(100).value, 2);
    EXPECT_EQ(fit.slope().value, 0);
    EXPECT_EQ(fit.covariance(100), 0);
}

TEST(LineFit, SaysHowMuchEachPointCounts) {
    const std::vector<double> x{0, 1, 2, 5};
    const std::vector<double> weights{1, 2, 3, 4};
    std::vector<double> y{1, 7, 3, 4};
    const LineFit before(x, y, weights);
    for (std::size_t i = 0; i < x.size(); ++i) {
        auto changed = y;
        changed[i] += 1;
        EXPECT_NEAR(LineFit(x, changed, weights).at(9).value - before.at(9).value,
                    before.influence(x[i], weights[i], 9), 1e-12);
    }
}

TEST(LineFit, StatesItsErrorsRightly) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> noise;
    const std::vector<double> x{1, 2, 4, 8, 16};
    const std::vector<double> deviations{0.1, 0.2, 0.2, 0.5, 1};
    std::vector<double> weights;
    for (const double deviation : deviations) {
        weights.push_back(1 / (deviation * deviation));
    }
    constexpr int trials = 4000;
    double of_slope = 0;
    double of_value = 0;
    double of_both = 0;
    double chi_squares = 0;
    for (int trial = 0; trial < trials; ++trial) {
        std::vector<double> y;
        for (std::size_t i = 0; i < x.size(); ++i) {
            y.push_back(3 + 2 * x[i] + deviations[i] * noise(random));
        }
        const LineFit fit(x, y, weights);
        const double slope_off = fit.slope().value - 2;
        const double value_off = fit.at(10).value - 23;
        of_slope += std::pow(slope_off / fit.slope().error, 2);
        of_value += std::pow(value_off / fit.at(10).error, 2);
        of_both += slope_off * value_off / fit.covariance(10);
        chi_squares += fit.chi_square();
    }
    // Means of chi-squares of one degree of freedom: standard error sqrt(2 / trials), 0.022.
    EXPECT_NEAR(of_slope / trials, 1, 0.09);
    EXPECT_NEAR(of_value / trials, 1, 0.09);
    EXPECT_NEAR(of_both / trials, 1, 0.09);
    EXPECT_NEAR(chi_squares / trials, 3, 0.16);
}

}  // namespace
}  // namespace fathom::stats
