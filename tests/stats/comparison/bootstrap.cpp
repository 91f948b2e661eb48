#include "stats/comparison/bootstrap.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "stats/comparison/scatter.hpp"
#include "stats/random.hpp"

namespace fathom::stats {
namespace {

/// Log-normal times whose logarithms follow the one before.
std::vector<double> times(Random& random, int count, double spread, double correlation) {
    std::vector<double> values;
    double state = random.normal();
    for (int i = 0; i < count; ++i) {
        state = correlation * state + std::sqrt(1 - correlation * correlation) * random.normal();
        values.push_back(std::exp(spread * state));
    }
    return values;
}

RunSample run_of(const std::vector<double>& values) {
    RunSample run;
    run.launches.emplace_back(values);
    return run;
}

TEST(Random, AreNormalAndUniform) {
    Random random(5);
    double sum = 0;
    double squares = 0;
    constexpr int count = 100'000;
    for (int i = 0; i < count; ++i) {
        const double value = random.normal();
        sum += value;
        squares += value * value;
    }
    EXPECT_NEAR(sum / count, 0, 0.01);
    EXPECT_NEAR(squares / count, 1, 0.02);
    EXPECT_EQ(random.place(1), 0U);
    EXPECT_DOUBLE_EQ(Random(9).uniform(), Random(9).uniform());
}

TEST(EffectiveSampleForMedian, IsNearlyAllOfIndependentValues) {
    Random random(1);
    const auto values = times(random, 10'000, 1, 0);
    const auto sample = effective_sample_for_median(values, 1);
    EXPECT_GT(sample.size, 5'000);
    EXPECT_LE(sample.size, 10'000);
}

TEST(EffectiveSampleForMedian, SeesNeighboursThatAreAlike) {
    // The sides of values with correlation 0.9 have (2 / pi) asin(0.9) = 0.713 from one to the next.
    Random random(2);
    const auto values = times(random, 20'000, 1, 0.9);
    EXPECT_LT(effective_sample_for_median(values, 1).size, 20'000 * (1 - 0.713) / (1 + 0.713) * 1.1);
}

TEST(EffectiveSampleForMedian, SeesLevelsThatChangeSlowly) {
    // Ten levels: no more than about ten values, although neighbours within a level are independent.
    Random random(3);
    std::vector<double> values;
    for (int level = 0; level < 10; ++level) {
        const double height = random.normal();
        for (int i = 0; i < 1'000; ++i) {
            values.push_back(10 + height + 0.1 * random.normal());
        }
    }
    EXPECT_LT(effective_sample_for_median(values, 10).size, 60);
}

TEST(LaunchSample, HasTheErrorOfTheMedianThatTheoryGives) {
    // sqrt(pi / 2) sigma / sqrt(n) for normal logarithms; what is added for the chance of correlation is
    // small.
    Random random(4);
    const auto values = times(random, 40'000, 0.1, 0);
    const double theory = std::sqrt(3.14159265 / 2) * 0.1 / std::sqrt(40'000);
    const LaunchSample start(values);
    const double correlated = std::sqrt(40'000 / start.effective_sample().size);
    EXPECT_NEAR(start.relative_error() / correlated, theory, 0.15 * theory);
}

std::vector<double> one_to(int last) {
    std::vector<double> values;
    for (int i = 1; i <= last; ++i) {
        values.push_back(i);
    }
    return values;
}

TEST(LaunchSample, KnowsWhereItsMedianMayLieWhateverTouchedRepetitionsTook) {
    // 200 of 1 .. 999: the median of all is what is at 300 if they belong below, and at 700 if above.
    const auto among = LaunchSample(one_to(999), 0, 200, true).median_range();
    EXPECT_NEAR(among.low, 300, 1);
    EXPECT_NEAR(among.high, 700, 1);
    EXPECT_FALSE(is_open(LaunchSample(one_to(999), 0, 499, true).median_range()));
    EXPECT_TRUE(is_open(LaunchSample(one_to(999), 0, 500, true).median_range())) << "more than half of all";
    // 200 besides 1 .. 999: of 1199, the one at 600.
    const auto besides = LaunchSample(one_to(999), 0, 200).median_range();
    EXPECT_NEAR(besides.low, 400, 1);
    EXPECT_NEAR(besides.high, 600, 1);
    EXPECT_TRUE(is_open(LaunchSample(one_to(999), 0, 999).median_range()));
}

TEST(LaunchSample, PutsRepetitionsThatSayNothingAtEitherEnd) {
    const double never = std::numeric_limits<double>::infinity();
    EXPECT_EQ(LaunchSample(one_to(3), 0, 1).sorted_with_set_aside(true), (std::vector<double>{0, 1, 2, 3}));
    EXPECT_EQ(LaunchSample(one_to(3), 0, 1).sorted_with_set_aside(false),
              (std::vector<double>{1, 2, 3, never}));
    EXPECT_EQ(LaunchSample(one_to(3), 0, 1, true).sorted_with_set_aside(true), (std::vector<double>{0, 1, 2}))
        << "the largest of them may have taken nothing";
    EXPECT_EQ(LaunchSample(one_to(3), 0, 1, true).sorted_with_set_aside(false),
              (std::vector<double>{2, 3, never}));
}

TEST(RunSample, HasAnOpenMedianIfHalfOfItsStartsAreUnknown) {
    RunSample run;
    for (const double median : {10.0, 11.0, 12.0}) {
        run.launches.emplace_back(std::vector<double>{median});
    }
    EXPECT_EQ(run.median_range().low, 11);
    run.unknown = 1;
    EXPECT_EQ(run.median_range().low, 10.5);
    EXPECT_EQ(run.median_range().high, 11.5);
    run.unknown = 3;
    EXPECT_TRUE(is_open(run.median_range()));
}

TEST(RatioOfMedians, IsExactForTimesThatDoNotVary) {
    const auto ratio =
        ratio_of_medians(run_of(std::vector<double>(50, 100.0)), run_of(std::vector<double>(50, 110.0)), 1);
    EXPECT_DOUBLE_EQ(ratio.value, 1.1);
    EXPECT_DOUBLE_EQ(ratio.ci95.low, 1.1);
    EXPECT_DOUBLE_EQ(ratio.ci95.high, 1.1);
    EXPECT_DOUBLE_EQ(ratio.p_value, 0);
    const auto same =
        ratio_of_medians(run_of(std::vector<double>(50, 100.0)), run_of(std::vector<double>(50, 100.0)), 1);
    EXPECT_DOUBLE_EQ(same.p_value, 1);
}

/// How often the interval of a ratio of equal things covers 1, in percent.
double coverage(int count, double spread, double correlation, std::uint64_t seed) {
    Random random(seed);
    constexpr int trials = 600;
    int covered = 0;
    for (int trial = 0; trial < trials; ++trial) {
        const auto a = times(random, count, spread, correlation);
        const auto b = times(random, count, spread, correlation);
        const auto ratio = ratio_of_medians(run_of(a), run_of(b), 1);
        covered += ratio.ci95.low <= 1 && ratio.ci95.high >= 1;
    }
    return 100.0 * covered / trials;
}

TEST(RatioOfMedians, CoversTheTruthAsOftenAsItSays) {
    // Conservative: chance correlation widens the interval.
    EXPECT_GE(coverage(100, 0.5, 0, 21), 93.5);
    EXPECT_GE(coverage(300, 0.1, 0.5, 22), 93.5);
    EXPECT_LE(coverage(1'000, 0.3, 0, 23), 98.5);
}

TEST(RatioOfMedians, CoversTheTruthOverStartsThatDiffer) {
    Random random(31);
    constexpr int trials = 400;
    constexpr double between = 0.02;
    int covered = 0;
    const auto run = [&] {
        RunSample sample;
        for (int start = 0; start < 5; ++start) {
            auto values = times(random, 60, 0.02, 0);
            const double level = std::exp(between * random.normal());
            for (auto& value : values) {
                value *= level;
            }
            sample.launches.emplace_back(values);
        }
        sample.variance_between = between * between;
        return sample;
    };
    for (int trial = 0; trial < trials; ++trial) {
        const auto ratio = ratio_of_medians(run(), run(), 1);
        covered += ratio.ci95.low <= 1 && ratio.ci95.high >= 1;
    }
    EXPECT_GE(covered, 0.93 * trials);
}

TEST(ExcessScatter, FindsWhatErrorsDoNotExplain) {
    Random random(41);
    std::vector<Deviation> deviations;
    for (int i = 0; i < 4'000; ++i) {
        const double error = 0.01 * (1 + i % 3);
        deviations.push_back({.value = 0.3 + std::hypot(error, 0.02) * random.normal(), .error = error});
    }
    EXPECT_NEAR(excess_scatter(deviations, 1), 0.02, 0.0015);
    // A quarter far off: the middle half reaches to 0.97 instead of 0.67 deviations of the others.
    for (std::size_t i = 0; i < 1'000; ++i) {
        deviations[i * 4].value = 5;
    }
    EXPECT_LT(excess_scatter(deviations, 1), 0.045);
}

TEST(ExcessScatter, IsNoneWhereErrorsExplainAll) {
    Random random(42);
    std::vector<Deviation> deviations;
    for (int i = 0; i < 100; ++i) {
        deviations.push_back({.value = 0.005 * random.normal(), .error = 0.01});
    }
    EXPECT_DOUBLE_EQ(excess_scatter(deviations, 1), 0);
    EXPECT_DOUBLE_EQ(excess_scatter({}, 1), 0);
}

TEST(ExcessScatter, IsAtMostWhatIsAllowed) {
    const std::vector<Deviation> wild{{-1, 0}, {0, 0}, {1, 0}, {2, 0}};
    EXPECT_DOUBLE_EQ(excess_scatter(wild, 0.02), 0.02);
}

TEST(MiddleVariance, IsOnTheFootingOfAMean) {
    Random random(43);
    std::vector<OwnVariance> variances;
    for (int i = 0; i < 4'000; ++i) {
        const double one = random.normal();
        const double two = random.normal();
        variances.push_back({.value = 9 * (one * one + two * two) / 2, .freedom = 2});
    }
    EXPECT_NEAR(middle_variance(variances), 9, 0.5);
    EXPECT_DOUBLE_EQ(middle_variance({}), 0);
}

}  // namespace
}  // namespace fathom::stats
