#include "stats/distributions/fits.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace fathom::stats {
namespace {

struct Truth {
    Family family;
    double place;
    double spread;
    double shift;
};

const std::vector<Truth>& truths() {
    static const std::vector<Truth> all{{Family::normal, 5000, 70, 0},
                                        {Family::log_normal, 7, 0.4, 0},
                                        {Family::shifted_log_normal, 6, 0.6, 2000},
                                        {Family::gamma, 120, 4, 0}};
    return all;
}

std::vector<double> drawn(std::mt19937_64& random, std::size_t n, const Truth& truth) {
    std::normal_distribution<double> normal;
    std::gamma_distribution<double> gamma(truth.spread, truth.place);
    std::vector<double> values(n);
    for (auto& value : values) {
        const double x = normal(random);
        value = truth.family == Family::normal  ? truth.place + truth.spread * x
                : truth.family == Family::gamma ? gamma(random)
                                                : truth.shift + std::exp(truth.place + truth.spread * x);
    }
    std::sort(values.begin(), values.end());
    return values;
}

/// Mean and standard error of figures.
struct Average {
    double sum = 0;
    double squares = 0;
    int count = 0;

    void add(double value) {
        sum += value;
        squares += value * value;
        ++count;
    }
    [[nodiscard]] double mean() const { return sum / count; }
    [[nodiscard]] double deviation() const {
        return std::sqrt(std::max(0.0, squares / count - mean() * mean()));
    }
};

TEST(Fit, RecoversTheParametersOfEachFamily) {
    constexpr std::size_t n = 2000;
    constexpr int trials = 200;
    for (const auto& truth : truths()) {
        std::mt19937_64 random(71);
        Average place;
        Average spread;
        Average shift;
        for (int trial = 0; trial < trials; ++trial) {
            const auto values = drawn(random, n, truth);
            const auto found = fit(truth.family, condensed(values));
            ASSERT_TRUE(found);
            place.add(found->place);
            spread.add(found->spread);
            shift.add(found->shift);
        }
        // Most likely parameters are off by something like 1 / n of themselves: a few standard errors of 200
        // means at most.
        const auto close = [&](const Average& found, double value) {
            EXPECT_NEAR(found.mean(), value,
                        4 * found.deviation() / std::sqrt(trials) + 2 * std::abs(value) / n)
                << static_cast<int>(truth.family);
        };
        close(place, truth.place);
        close(spread, truth.spread);
        close(shift, truth.shift);
    }
}

TEST(Fit, IsAsSureAsTheInformationAllows) {
    // The variance of the mean is s^2 / n, that of the deviation s^2 / 2n.
    std::mt19937_64 random(73);
    Average place;
    Average spread;
    for (int trial = 0; trial < 1000; ++trial) {
        const auto found = fit(Family::log_normal, condensed(drawn(random, 500, truths()[1])));
        place.add(found->place);
        spread.add(found->spread);
    }
    EXPECT_NEAR(place.deviation(), 0.4 / std::sqrt(500), 0.0015);
    EXPECT_NEAR(spread.deviation(), 0.4 / std::sqrt(1000), 0.001);
}

TEST(Fit, OfManyValuesPutTogetherIsThatOfAll) {
    for (const auto& truth : truths()) {
        std::mt19937_64 random(79);
        const auto values = drawn(random, 50'000, truth);
        std::vector<Weighted> all;
        for (const double value : values) {
            all.push_back({value, 1});
        }
        const auto groups = condensed(values);
        EXPECT_LT(groups.size(), 2200U);
        const auto one = fit(truth.family, all);
        const auto other = fit(truth.family, groups);
        ASSERT_TRUE(one && other);
        EXPECT_NEAR(other->place / one->place, 1, 1e-3);
        EXPECT_NEAR(other->spread / one->spread, 1, 1e-3);
        EXPECT_NEAR(other->shift, one->shift, 2e-3 * truth.shift);
    }
}

TEST(Fit, IsTheMostLikelyOfItsFamilyWhereThatIsTrue) {
    for (const auto& truth : truths()) {
        std::mt19937_64 random(83);
        int best = 0;
        constexpr int trials = 100;
        for (int trial = 0; trial < trials; ++trial) {
            const auto values = condensed(drawn(random, 2000, truth));
            double least = INFINITY;
            Family winner = Family::normal;
            for (const auto& other : truths()) {
                const auto found = fit(other.family, values);
                if (!found) {
                    continue;
                }
                const double criterion = found->parameters() * std::log(2000) - 2 * found->log_likelihood;
                winner = criterion < least ? other.family : winner;
                least = std::min(least, criterion);
            }
            best += winner == truth.family ? 1 : 0;
        }
        // 70 / 5000 is so narrow that a normal and a gamma distribution are nearly the same.
        EXPECT_GE(best, truth.family == Family::normal ? 60 : 95) << static_cast<int>(truth.family);
    }
}

TEST(CriticalDistance, IsExceededByOneOfTwentySamplesOfTheFamily) {
    for (const auto& truth : truths()) {
        for (const std::size_t n : {50U, 400U}) {
            std::mt19937_64 random(89);
            int off = 0;
            constexpr int trials = 1500;
            for (int trial = 0; trial < trials; ++trial) {
                const auto values = drawn(random, n, truth);
                const auto found = fit(truth.family, condensed(values));
                ASSERT_TRUE(found);
                off += distance(*found, values) > critical_distance(*found, static_cast<double>(n)) ? 1 : 0;
            }
            EXPECT_GT(off, trials * 0.03) << static_cast<int>(truth.family) << ", " << n;
            EXPECT_LT(off, trials * 0.075) << static_cast<int>(truth.family) << ", " << n;
        }
    }
}

TEST(CriticalDistance, IsExceededByOtherFamilies) {
    std::mt19937_64 random(97);
    const auto values = drawn(random, 2000, truths()[1]);
    for (const auto family : {Family::normal, Family::gamma}) {
        const auto found = fit(family, condensed(values));
        EXPECT_GT(distance(*found, values), critical_distance(*found, 2000)) << static_cast<int>(family);
    }
}

TEST(CriticalDistance, IsNotExceededBecauseAClockRounds) {
    std::mt19937_64 random(101);
    std::normal_distribution<double> normal(1000, 20);
    int off = 0;
    for (int trial = 0; trial < 200; ++trial) {
        std::vector<double> values(2000);
        for (auto& value : values) {
            value = 10 * std::round(normal(random) / 10);
        }
        std::sort(values.begin(), values.end());
        const auto found = fit(Family::normal, condensed(values));
        off += distance(*found, values) > critical_distance(*found, 2000) ? 1 : 0;
    }
    EXPECT_LT(off, 20);
}

TEST(Fit, HasNoAnswerWhereThereIsNone) {
    const std::vector<double> equal(10, 5.0);
    const std::vector<double> zero{0, 1, 2, 3};
    for (const auto family :
         {Family::normal, Family::log_normal, Family::shifted_log_normal, Family::gamma}) {
        EXPECT_FALSE(fit(family, condensed(equal)));
        EXPECT_FALSE(fit(family, {}));
        EXPECT_EQ(fit(family, condensed(zero)).has_value(), family == Family::normal);
    }
}

TEST(Fit, KnowsItsDistributionFunction) {
    EXPECT_NEAR((Fitted{.family = Family::normal, .place = 10, .spread = 2}).below(13.919928), 0.975, 1e-7);
    EXPECT_NEAR((Fitted{.family = Family::log_normal, .place = 1, .spread = 0.5}).below(std::exp(1)), 0.5,
                1e-12);
    const Fitted shifted{.family = Family::shifted_log_normal, .place = 1, .spread = 0.5, .shift = 100};
    EXPECT_NEAR(shifted.below(100 + std::exp(1)), 0.5, 1e-12);
    EXPECT_EQ(shifted.below(99), 0);
    // A gamma distribution of shape 1 is exponential.
    EXPECT_NEAR((Fitted{.family = Family::gamma, .place = 3, .spread = 1}).below(3), 1 - std::exp(-1), 1e-12);
}

}  // namespace
}  // namespace fathom::stats
