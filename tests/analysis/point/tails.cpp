#include "analysis/point/tails.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::analysis {
namespace {

using ::testing::ElementsAre;

/// Percentages of a column of a table, as counts of ten thousand times.
template <std::size_t rows>
struct Column {
    std::array<double, rows> percent;

    [[nodiscard]] std::array<int, rows> counts() const {
        std::array<int, rows> made{};
        for (std::size_t i = 0; i < rows; ++i) {
            made[i] = static_cast<int>(std::lround(100 * percent[i]));
        }
        return made;
    }
    [[nodiscard]] int count() const {
        const auto all = counts();
        return std::accumulate(all.begin(), all.end(), 0);
    }
};

template <std::size_t rows>
void expect_shares(const std::vector<double>& shares, const Column<rows>& column) {
    ASSERT_EQ(shares.size(), rows);
    const auto counts = column.counts();
    for (std::size_t i = 0; i < rows; ++i) {
        EXPECT_NEAR(shares[i], static_cast<double>(counts[i]) / column.count(), 1e-12) << i;
        // Columns of the tables add up to 100 but for their rounding.
        EXPECT_NEAR(100 * shares[i], column.percent[i], 0.0101 * 100 / 99.9) << i;
    }
}

std::vector<double> shuffled(std::vector<double> times) {
    std::shuffle(times.begin(), times.end(), std::mt19937_64(1));
    return times;
}

// Abdul Hamid's thesis, tables 5.1 (Myrinet) and 5.2 (Ethernet): 8, 32, 128 processes by 16, 64, 256 KiB.
const std::vector<Column<6>> by_minimum{
    {{100, 0, 0, 0, 0, 0}},
    {{100, 0, 0, 0, 0, 0}},
    {{99.99, 0.01, 0, 0, 0, 0}},
    {{95.93, 4.07, 0, 0, 0, 0}},
    {{75.57, 20.09, 1.68, 2.51, 0.14, 0.01}},
    {{71.76, 19.59, 5.05, 0.06, 2.60, 0.94}},
    {{92.51, 5.56, 0.58, 0.57, 0.53, 0.25}},
    {{72.53, 19.68, 4.84, 1.23, 0.65, 1.07}},
    {{54.96, 30.13, 7.42, 3.66, 1.81, 2.03}},
    {{100, 0, 0, 0, 0, 0}},
    {{99.96, 0, 0, 0, 0.01, 0.03}},
    {{99.61, 0.39, 0, 0, 0, 0}},
    {{99.97, 0.03, 0, 0, 0, 0}},
    {{99.71, 0.28, 0, 0.01, 0, 0}},
    {{99.43, 0.57, 0, 0, 0, 0}},
    {{26.90, 30.23, 26.34, 9.92, 2.92, 3.68}},
    {{14.22, 28.94, 23.17, 16.26, 8.17, 9.24}},
    {{10.22, 13.02, 22.37, 23.50, 15.94, 14.95}},
};

// Tables 5.3 and 5.4, in the same order.
const std::vector<Column<5>> by_deviation{
    {{84.60, 14.56, 0.59, 0.19, 0.06}}, {{83.65, 16.34, 0.01, 0, 0}},
    {{97.49, 2.40, 0.08, 0.03, 0}},     {{90.91, 3.73, 2.42, 2.45, 0.49}},
    {{90.91, 3.73, 2.42, 2.45, 0.49}},  {{90.72, 5.68, 0.14, 3.45, 0.01}},
    {{90.66, 5.66, 1.78, 0.42, 1.49}},  {{88.92, 7.39, 2.05, 0.97, 0.67}},
    {{88.81, 7.54, 2.43, 1.08, 0.14}},  {{87.34, 11.40, 1.19, 0, 0.08}},
    {{71.20, 28.77, 0, 0, 0.04}},       {{77.28, 22.59, 0.04, 0.06, 0.03}},
    {{89.95, 0.97, 5.87, 3.01, 0.21}},  {{83.58, 10.63, 3.52, 2.26, 0.01}},
    {{80.09, 13.13, 6.69, 0.05, 0.05}}, {{92.66, 6.11, 0.97, 0.12, 0.14}},
    {{90.39, 8.53, 0.96, 0.12, 0}},     {{86.48, 13.52, 0, 0, 0}},
};

TEST(Tails, ByTheMinimumAreThoseOfTables51And52) {
    for (const auto& column : by_minimum) {
        std::vector<double> times;
        const auto counts = column.counts();
        for (std::size_t bin = 0; bin < counts.size(); ++bin) {
            for (int i = 0; i < counts[bin]; ++i) {
                // On the lower edge of each bin and within it: the edge belongs to what lies above.
                times.push_back(1000.0 * static_cast<double>(bin + 1) + (i % 2 == 0 ? 0 : 999));
            }
        }
        const auto tails = tails_of(shuffled(times));
        EXPECT_EQ(tails.min_ns, 1000);
        expect_shares(tails.by_minimum, column);
    }
}

/// Times whose own mean and deviation are 0 and 1 and put these counts between them: levels a little above
/// each multiple, and below the first two levels that correct the moments.
std::vector<double> standard_times(const std::array<int, 5>& counts, double above) {
    const auto n = static_cast<double>(std::accumulate(counts.begin(), counts.end(), 0));
    std::vector<double> times;
    double sum = 0;
    double squares = 0;
    for (std::size_t bin = 1; bin < counts.size(); ++bin) {
        const double level = static_cast<double>(bin) + above;
        times.insert(times.end(), static_cast<std::size_t>(counts[bin]), level);
        sum += counts[bin] * level;
        squares += counts[bin] * level * level;
    }
    const double rest = counts[0];
    const double mean = -sum / rest;
    const double variance = (n - 1 - squares) / rest - mean * mean;
    const double low = std::floor(rest / 2);
    const double high = rest - low;
    if (variance < 0) {
        return {};
    }
    times.insert(times.end(), static_cast<std::size_t>(low), mean - std::sqrt(variance * high / low));
    times.insert(times.end(), static_cast<std::size_t>(high), mean + std::sqrt(variance * low / high));
    return mean + std::sqrt(variance * low / high) < 0.99 ? times : std::vector<double>{};
}

TEST(Tails, ByTheDeviationAreThoseOfTables53And54) {
    for (const auto& column : by_deviation) {
        std::vector<double> times;
        for (double above = 0.02; times.empty() && above < 1; above += 0.02) {
            times = standard_times(column.counts(), above);
        }
        ASSERT_FALSE(times.empty()) << column.percent[0] << ": no such levels";
        for (auto& time : times) {
            time = 50'000 + 3000 * time;
        }
        const auto tails = tails_of(shuffled(times));
        EXPECT_NEAR(tails.mean_ns, 50'000, 1e-6);
        EXPECT_NEAR(tails.deviation_ns, 3000, 1e-6);
        expect_shares(tails.by_deviation, column);
    }
}

TEST(Tails, HaveQuantilesWithIntervalsWhereTheSampleAllows) {
    std::vector<double> times(5000);
    std::iota(times.begin(), times.end(), 1);
    const auto tails = tails_of(shuffled(times));
    ASSERT_EQ(tails.quantiles.size(), 3U);
    for (const auto& quantile : tails.quantiles) {
        ASSERT_TRUE(quantile.value_ns && quantile.ci95_ns) << quantile.share;
        EXPECT_NEAR(*quantile.value_ns, 1 + 4999 * quantile.share, 1e-9);
        EXPECT_LT(quantile.ci95_ns->low, *quantile.value_ns);
        EXPECT_GT(quantile.ci95_ns->high, *quantile.value_ns);
    }
}

TEST(Tails, SayWhereSamplesAreTooFew) {
    std::vector<double> times(500);
    std::iota(times.begin(), times.end(), 1);
    const auto tails = tails_of(shuffled(times));
    EXPECT_TRUE(tails.quantiles[0].ci95_ns);
    EXPECT_TRUE(tails.quantiles[1].ci95_ns);
    EXPECT_FALSE(tails.quantiles[2].value_ns);
    times.resize(200);
    const auto fewer = tails_of(shuffled(times));
    EXPECT_TRUE(fewer.quantiles[1].value_ns);
    EXPECT_FALSE(fewer.quantiles[1].ci95_ns);
    EXPECT_LT(fewer.quantiles[1].sample_size, fewer.quantiles[1].least_sample_size);
}

TEST(Tails, GoByTheEffectiveSampleSizeGiven) {
    std::vector<double> times;
    for (int i = 0; i < 1'000; ++i) {
        times.push_back(1'000 + i);
    }
    std::shuffle(times.begin(), times.end(), std::mt19937_64(3));
    EXPECT_TRUE(tails_of(times).quantiles[1].ci95_ns);
    const auto few = tails_of(times, [](double) { return 50.0; });
    EXPECT_FALSE(few.quantiles[1].ci95_ns);
    EXPECT_EQ(few.quantiles[1].sample_size, 50);
    EXPECT_NEAR(few.quantiles[1].least_sample_size, 368, 1);
}

TEST(Tails, OfEqualTimesAndOfNoTimeAtAllAreNone) {
    const auto equal = tails_of(std::vector<double>(7, 0.1));
    EXPECT_THAT(equal.by_minimum, ElementsAre(1, 0, 0, 0, 0, 0));
    EXPECT_THAT(equal.by_deviation, ElementsAre(1, 0, 0, 0, 0));
    const auto none = tails_of(std::vector<double>(7, 0.0));
    EXPECT_TRUE(none.by_minimum.empty()) << "no time is a multiple of 0";
    EXPECT_THAT(none.by_deviation, ElementsAre(1, 0, 0, 0, 0));
}

}  // namespace
}  // namespace fathom::analysis
