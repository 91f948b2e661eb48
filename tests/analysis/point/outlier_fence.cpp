#include "analysis/point/outlier_fence.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "stats/random.hpp"

namespace fathom::analysis {
namespace {

/// 101 times in steps of 1 from 1000 to 1100: quartiles 1025 and 1075, median 1050.
std::vector<double> hundred_steps() {
    std::vector<double> times(101);
    std::iota(times.begin(), times.end(), 1'000);
    return times;
}

/// The fence of these, by hand. A twentieth of median - minimum is 2.5, so the quartiles are 27.5 and 77.5
/// high, and three times their distance in the logarithm above the upper one is 77.5 (77.5 / 27.5)^3.
constexpr double ratio_of_quartiles = 77.5 / 27.5;
constexpr double fence_of_steps =
    1'000 - 2.5 + 77.5 * ratio_of_quartiles * ratio_of_quartiles * ratio_of_quartiles;

template <typename Draw>
std::vector<double> sorted_draws(std::size_t count, const Draw& draw) {
    std::vector<double> times(count);
    std::generate(times.begin(), times.end(), draw);
    std::sort(times.begin(), times.end());
    return times;
}

auto count_beyond(const std::vector<double>& sorted) {
    return sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), body_end(sorted));
}

/// Of a thousand series of a thousand times, how many have any time beyond the end of their body.
template <typename Draw>
int alarms_in_a_thousand(const Draw& draw) {
    int alarms = 0;
    for (int series = 0; series < 1'000; ++series) {
        alarms += count_beyond(sorted_draws(1'000, draw)) > 0 ? 1 : 0;
    }
    return alarms;
}

TEST(BodyEnd, IsTukeysOuterFenceOfTheLogarithm) {
    auto times = hundred_steps();
    times.back() = 1e6;
    EXPECT_NEAR(body_end(times), fence_of_steps, 1e-9);
    EXPECT_NEAR(fence_of_steps, 2'732, 0.3);
    times.back() = 2'700;
    EXPECT_EQ(count_beyond(times), 0) << "below the fence";
    times.back() = 2'760;
    EXPECT_EQ(count_beyond(times), 1) << "above it";
}

TEST(BodyEnd, IsTheLargestTimeWhereNoneIsFarAway) {
    EXPECT_DOUBLE_EQ(body_end(hundred_steps()), 1'100);
    EXPECT_DOUBLE_EQ(body_end(std::vector<double>{1, 2}), 2);
    EXPECT_DOUBLE_EQ(body_end(std::vector<double>{1, 2, 3}), 3);
}

TEST(BodyEnd, OfEqualOrFewTimesIsTheLargest) {
    EXPECT_DOUBLE_EQ(body_end(std::vector<double>(50, 7.0)), 7);
    EXPECT_DOUBLE_EQ(body_end(std::vector<double>(50, 0.0)), 0);
    EXPECT_DOUBLE_EQ(body_end(std::vector<double>{5}), 5);
    EXPECT_DOUBLE_EQ(body_end(std::vector<double>{1, 1'000}), 1'000) << "who would say which is usual?";
    std::vector<double> most_at_least(50, 0.0);
    most_at_least.insert(most_at_least.end(), 40, 1e6);
    EXPECT_DOUBLE_EQ(body_end(most_at_least), 1e6) << "a median of 0 has no scale";
}

TEST(BodyEnd, MovesAndGrowsWithTheTimes) {
    auto times = hundred_steps();
    times.back() = 1e6;
    for (auto& time : times) {
        time = 3 * time + 500;
    }
    EXPECT_NEAR(body_end(times), 3 * fence_of_steps + 500, 1e-6);
}

TEST(BodyEnd, LeavesATimeOfZeroNoRoomToMakeOthersOutliers) {
    // One time of 0 below a normal body of 1 %: minimum and median are 1000 apart, so the fence is
    // (1000 + 50 + 6.745) (1056.745 / 1043.255)^3 - 50 = 1048.3: more than 4 deviations up.
    stats::Random random(1);
    auto times = sorted_draws(1'000, [&] { return 1'000 + 10 * random.normal(); });
    times.front() = 0;
    times.back() = 2'000;
    EXPECT_NEAR(body_end(times), 1'048.3, 3);
    EXPECT_EQ(count_beyond(times), 1) << "the one far away, and no other";
}

TEST(BodyEnd, NamesNothingInAThousandSeriesOfUsualTimes) {
    // By the quantiles of these distributions, the fence is at 10 deviations of a normal one, at 121 means
    // of an exponential one, and at 4.5 deviations of a log-normal one of 1.5: 1 in 300 000 times, so 3 of
    // a thousand series.
    stats::Random random(2);
    EXPECT_EQ(alarms_in_a_thousand([&] { return 1'000 + 10 * random.normal(); }), 0);
    EXPECT_EQ(alarms_in_a_thousand([&] { return 1'000 - 100 * std::log(random.uniform()); }), 0);
    EXPECT_EQ(alarms_in_a_thousand([&] { return 1'000 * std::exp(0.2 * random.normal()); }), 0);
    EXPECT_LE(alarms_in_a_thousand([&] { return 1'000 * std::exp(1.5 * random.normal()); }), 12);
}

TEST(BodyEnd, CutsAHeavyTailWhereItsQuartilesSayItDoes) {
    // Of 1 / uniform, the quartiles are 4/3 and 4, the median 2, so the fence is 0.95 + 3.05 (3.05 /
    // 0.3833)^3 = 1537.8, beyond which lies 1 in 1537.8.
    const double expected = 1 / (0.95 + 3.05 * std::pow(3.05 / (1.0 / 3 + 0.05), 3));
    stats::Random random(3);
    constexpr int series = 100;
    constexpr std::size_t count = 10'000;
    double cut = 0;
    for (int i = 0; i < series; ++i) {
        cut += static_cast<double>(count_beyond(sorted_draws(count, [&] { return 1 / random.uniform(); })));
    }
    const double share = cut / (series * static_cast<double>(count));
    EXPECT_NEAR(share, expected, 0.15 * expected) << "25 times in a million is a deviation";
}

TEST(BodyEnd, LeavesOutASecondGroupOfLessThanAQuarterAndKeepsALargerOne) {
    const auto with_share = [](std::size_t far) {
        auto times = hundred_steps();
        for (std::size_t i = 0; i < far; ++i) {
            times[times.size() - 1 - i] = 50'000 - static_cast<double>(i);
        }
        return count_beyond(times);
    };
    EXPECT_EQ(with_share(1), 1);
    EXPECT_EQ(with_share(10), 10);
    EXPECT_EQ(with_share(25), 25) << "the upper quartile is the last of the first group";
    EXPECT_EQ(with_share(26), 0) << "the upper quartile is the first of the second group";
    EXPECT_EQ(with_share(50), 0);
}

}  // namespace
}  // namespace fathom::analysis
