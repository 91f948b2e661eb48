#include "stats/between_runs/between_runs.hpp"

#include <gtest/gtest.h>

#include "stats/between_runs/synthetic_runs.hpp"

namespace fathom::stats {
namespace {

using testing::coverage_with;
using testing::RunsModel;

/// Runs of one point that launches know exactly.
std::vector<RunValues> runs_at(const std::vector<double>& logarithms) {
    std::vector<RunValues> runs;
    for (const double value : logarithms) {
        runs.push_back({RunValue{.logarithm = value, .variance = 0}});
    }
    return runs;
}

TEST(BetweenRuns, IsWhatIsAssumedWhereFewerThanTwoRunsAreKnown) {
    for (const auto& runs : {std::vector<RunValues>(), runs_at({0})}) {
        const auto found = between_runs(runs, 1, 0.02);
        EXPECT_EQ(found.steps, 0U);
        EXPECT_DOUBLE_EQ(found.usual.value, 0.0004);
        EXPECT_FALSE(found.usual.freedom);
        EXPECT_DOUBLE_EQ(found.points.front().reach(), 1.959963984540054 * 0.02);
    }
}

TEST(BetweenRuns, MixesTheMeanSquareOfStepsWithWhatIsAssumed) {
    // Steps of 2 and -4 %: a step has twice the variance of a run, (4 + 16) / 2 / 2 = 5 (in squared percent),
    // known with 2 * 4 / 5 = 1.6 degrees of freedom. What is assumed counts as one more with a scale of
    // 2 * 1.96 / 12.7062 = 0.3085.
    const auto found = between_runs(runs_at({0, 0.02, -0.02}), 1, 0.02);
    EXPECT_EQ(found.steps, 2U);
    EXPECT_EQ(found.rejected, 0U);
    ASSERT_TRUE(found.usual.freedom);
    EXPECT_NEAR(*found.usual.freedom, 2.6, 1e-9);
    EXPECT_NEAR(found.usual.value, (0.3085 * 0.3085 + 1.6 * 5) / 2.6 * 1e-4, 1e-7);
    EXPECT_NEAR(found.points.front().value, found.usual.value, 1e-12);
}

TEST(BetweenRuns, DoNotCountWhatLaunchesExplain) {
    auto runs = runs_at({0, 0.02, -0.02});
    for (auto& run : runs) {
        run.front()->variance = 0.001;
    }
    EXPECT_LT(between_runs(runs, 1, 0.02).usual.value,
              between_runs(runs_at({0, 0, 0}), 1, 0.02).usual.value + 1e-12);
}

TEST(BetweenRuns, LeaveOutAChangeOfLevelThatTheOtherStepsMakeUnlikely) {
    const auto quiet = between_runs(runs_at({0, 0.005, 0, 0.004, 0.001, 0.005, 0}), 1, 0.02);
    const auto changed = between_runs(runs_at({0, 0.005, 0, 0.304, 0.301, 0.305, 0.3}), 1, 0.02);
    EXPECT_EQ(quiet.rejected, 0U);
    EXPECT_EQ(changed.rejected, 1U);
    EXPECT_EQ(changed.steps, 5U);
    EXPECT_LT(changed.usual.reach(), 1.5 * quiet.usual.reach());
}

TEST(BetweenRuns, LearnNothingOfPointsFromAChangeEither) {
    Random random(5);
    std::vector<RunValues> runs;
    for (int run = 0; run < 3; ++run) {
        RunValues values;
        for (int point = 0; point < 20; ++point) {
            // From the last run on, 20 to 40 % slower, each point by another share.
            const double change = run == 2 ? 0.2 + 0.2 * point / 19 : 0;
            values.push_back(RunValue{.logarithm = change + 0.003 * random.normal(), .variance = 0});
        }
        runs.push_back(std::move(values));
    }
    const auto changed = between_runs(runs, 20, 0.02);
    runs.pop_back();
    const auto before = between_runs(runs, 20, 0.02);
    EXPECT_EQ(before.rejected, 0U);
    EXPECT_EQ(changed.rejected, 1U);
    EXPECT_DOUBLE_EQ(changed.usual.reach(), before.usual.reach());
    for (std::size_t point = 0; point < 20; ++point) {
        EXPECT_DOUBLE_EQ(changed.points[point].reach(), before.points[point].reach()) << point;
    }
}

TEST(BetweenRuns, TakeTheOnlyStepForAChangeWhereItIsFarBeyondWhatIsAssumed) {
    // 2.58 * sqrt(2) * 2 % = 7.3 %.
    EXPECT_EQ(between_runs(runs_at({0, 0.07}), 1, 0.02).steps, 1U);
    const auto changed = between_runs(runs_at({0, 0.08}), 1, 0.02);
    EXPECT_EQ(changed.steps, 0U);
    EXPECT_DOUBLE_EQ(changed.usual.value, 0.0004) << "nothing is learned";
}

TEST(BetweenRuns, TellPointsApartAsFarAsTheirRunsDo) {
    Random random(3);
    std::vector<RunValues> runs;
    for (int run = 0; run < 10; ++run) {
        RunValues values;
        for (int point = 0; point < 20; ++point) {
            const double deviation = point == 0 ? 0.03 : 0.005;
            values.push_back(RunValue{.logarithm = deviation * random.normal(), .variance = 0});
        }
        values.push_back(std::nullopt);
        runs.push_back(std::move(values));
    }
    const auto found = between_runs(runs, 21, 0.02);
    EXPECT_GT(found.points[0].reach(), 2 * found.points[1].reach());
    EXPECT_NEAR(std::sqrt(found.usual.value), 0.005, 0.002);
    EXPECT_DOUBLE_EQ(found.points[20].value, found.usual.value) << "no run has it";
}

/// Runs that differ by this, half of it in common; launches by half a percent.
RunsModel runs_that_differ_by(double deviation) {
    return {
        .common = deviation / std::sqrt(2), .own = deviation / std::sqrt(2), .unlike = 0.3, .launch = 0.005};
}

TEST(BetweenRuns, LetIntervalsHoldInNineteenOfTwentyCasesOnceFiveRunsAreStored) {
    // Three times the standard error of 120 runs, whose points share a part: 2 %.
    for (const double deviation : {0.006, 0.009}) {
        const auto five = coverage_with(runs_that_differ_by(deviation), 5, 120, 1);
        EXPECT_NEAR(five.share, 0.95, 0.04) << deviation;
        EXPECT_LT(five.width, 0.045) << deviation;
        const auto none = coverage_with(runs_that_differ_by(deviation), 0, 30, 1);
        EXPECT_GT(none.share, 0.97) << deviation;
        EXPECT_GT(none.width, 0.078) << deviation;
    }
}

TEST(BetweenRuns, OutgrowAChangeBetweenStoredRuns) {
    auto model = runs_that_differ_by(0.006);
    model.change = 0.3;
    const auto after = coverage_with(model, 6, 60, 2);
    EXPECT_GT(after.share, 0.9);
    EXPECT_LT(after.width, 0.06);
}

Ratio ratio_of(double value, double error, double freedom) {
    return {.value = value,
            .range = {.low = value, .high = value},
            .ci95 = {.low = value * std::exp(-2 * error), .high = value * std::exp(2 * error)},
            .error = error,
            .freedom = freedom,
            .p_value = 1e-9};
}

TEST(BetweenRuns, WidenARatioAsSquares) {
    auto ratio = ratio_of(1.1, 0.003, 1e6);
    include_other_runs(ratio, {.value = 0.02 * 0.02}, {.value = 0.02 * 0.02});
    const double error = std::sqrt(0.003 * 0.003 + 2 * 0.02 * 0.02);
    EXPECT_NEAR(ratio.error, error, 1e-12);
    EXPECT_NEAR(std::log(ratio.ci95.high / ratio.ci95.low), 2 * 1.959964 * error, 1e-5);
    // 2 (1 - Phi(ln 1.1 / 0.02844)), Phi(3.351) from any table
    EXPECT_NEAR(ratio.p_value, 0.000805, 2e-5);
}

TEST(BetweenRuns, LeaveARatioAloneThatWasMeasuredInTurn) {
    auto ratio = ratio_of(1.1, 0.003, 8);
    const auto before = ratio.ci95;
    include_other_runs(ratio, {}, {});
    EXPECT_EQ(ratio.p_value, 1e-9);
    EXPECT_EQ(ratio.ci95.low, before.low);
}

TEST(BetweenRuns, CountWithTheFreedomThatTheyAreKnownWith) {
    auto ratio = ratio_of(1.1, 0, 1e6);
    include_other_runs(ratio, {.value = 0.0001, .freedom = 4}, {.value = 0.0001, .freedom = 4});
    EXPECT_NEAR(ratio.freedom, 8, 1e-9) << "Welch and Satterthwaite: (2 v)^2 / (2 v^2 / 4)";
    EXPECT_NEAR(std::log(ratio.ci95.high / 1.1), 2.306 * std::sqrt(0.0002), 1e-5);
}

}  // namespace
}  // namespace fathom::stats
