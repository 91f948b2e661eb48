// How often comparisons are wrong, over many tables of synthetic runs.
#include <gtest/gtest.h>

#include "analysis/across_runs/comparison.hpp"
#include "analysis/synthetic_run.hpp"

namespace fathom::analysis {
namespace {

using testing::add_point;
using testing::key_at;
using testing::run_called;
using testing::SyntheticTimes;
using testing::TimesModel;

constexpr int points_of_a_table = 100;

struct Setup {
    int tables = 100;
    int launches = 1;
    double between = 0;     ///< standard deviation of the logarithm between launches
    double slowdown = 1;    ///< of the tenth point of the second run
    double all_slower = 1;  ///< of all others
};

struct Outcome {
    int tables_with_false_alarm = 0;
    int found = 0;    ///< tables in which the slow point is called slower
    int beyond = 0;   ///< tables with a point that is not slow and fails a limit of 5 %
    double same = 0;  ///< share of equal points that are called the same
};

/// Points of a table differ in spread, skew and correlation.
TimesModel model_of(int point) {
    return {.median_ns = 500.0 * (1 + point),
            .spread = 0.02 + 0.08 * (point % 7) / 6,
            .correlation = 0.6 * (point % 5) / 4,
            .slow_share = 0.05 * (point % 3) / 2};
}

MeasuredRun synthetic_run(const std::string& name, const Setup& study, bool second, stats::Random& random) {
    auto run = run_called(name);
    for (int point = 0; point < points_of_a_table; ++point) {
        testing::Launches starts;
        for (int start = 0; start < study.launches; ++start) {
            auto model = model_of(point);
            model.median_ns *= std::exp(study.between * random.normal());
            model.median_ns *= !second ? 1 : point == 10 ? study.slowdown : study.all_slower;
            starts.push_back(SyntheticTimes(model, random).take_by_rule());
        }
        add_point(run, key_at(8 * (point + 1)), std::move(starts));
    }
    return run;
}

Outcome outcome_of(const Setup& study, std::uint64_t seed) {
    stats::Random random(seed);
    Outcome outcome;
    int same = 0;
    for (int table = 0; table < study.tables; ++table) {
        auto first = synthetic_run("run 1", study, false, random);
        auto second = synthetic_run("run 2", study, true, random);
        const auto comparison = compare(std::move(first), std::move(second), {});
        bool false_alarm = false;
        bool beyond = false;
        for (const auto& point : comparison.points) {
            const bool slow = study.slowdown > 1 && point.key.size.count == 88;
            outcome.found += slow && point.verdict == analysis::Change::slower;
            false_alarm = false_alarm || (!slow && (point.verdict == analysis::Change::slower ||
                                                    point.verdict == analysis::Change::faster));
            beyond = beyond || (!slow && point.beyond_limit);
            same += !slow && point.verdict == analysis::Change::same;
        }
        outcome.tables_with_false_alarm += false_alarm;
        outcome.beyond += beyond;
    }
    outcome.same = same / (1.0 * study.tables * points_of_a_table);
    ::testing::Test::RecordProperty("tables_with_false_alarm", outcome.tables_with_false_alarm);
    ::testing::Test::RecordProperty("found", outcome.found);
    std::printf(
        "tables with a false alarm %d, slow point found %d, beyond the limit %d of %d; the same %.3f\n",
        outcome.tables_with_false_alarm, outcome.found, outcome.beyond, study.tables, outcome.same);
    return outcome;
}

TEST(ComparisonStudy, FalseAlarmsAreRareOverAWholeTableOfEqualPoints) {
    const auto outcome = outcome_of({.tables = 100}, 1);
    EXPECT_LE(outcome.tables_with_false_alarm, 5) << "of 100: 5 %";
    EXPECT_GT(outcome.same, 0.95);
}

TEST(ComparisonStudy, OnePointThatIsFivePercentSlowerIsFound) {
    const auto outcome = outcome_of({.tables = 100, .slowdown = 1.05}, 2);
    EXPECT_GE(outcome.found, 95);
    EXPECT_LE(outcome.tables_with_false_alarm, 5);
}

TEST(ComparisonStudy, FalseAlarmsAreRareWhereStartsDifferByOnePercent) {
    // About 3 % have one: a hundred tables could not distinguish that from 5 %.
    const auto outcome = outcome_of({.tables = 300, .between = 0.01}, 3);
    EXPECT_LE(outcome.tables_with_false_alarm, 15);
    EXPECT_LE(outcome.beyond, 9);
}

TEST(ComparisonStudy, FalseAlarmsAreRareWhereThreeStartsDifferByOnePercent) {
    const auto outcome = outcome_of({.tables = 30, .launches = 3, .between = 0.01}, 4);
    EXPECT_LE(outcome.tables_with_false_alarm, 1);
}

TEST(ComparisonStudy, FiveStartsFindFivePercentWhereStartsDifferByHalfAPercent) {
    const auto outcome = outcome_of({.tables = 20, .launches = 5, .between = 0.005, .slowdown = 1.05}, 5);
    EXPECT_GE(outcome.found, 19);
}

TEST(ComparisonStudy, ATableThatIsSlowerAsAWholeIsFoundSo) {
    const auto outcome = outcome_of({.tables = 10, .slowdown = 1.05, .all_slower = 1.05}, 6);
    EXPECT_EQ(outcome.found, 10);
}

/// Launches of one point: how their medians scatter.
struct LaunchModel {
    double between = 0;  ///< standard deviation of the logarithm
    double levels = 0;   ///< half of them take this share longer
    double far = 0;      ///< a tenth of them take this share longer
};

testing::Launches launches_of(const LaunchModel& model, std::size_t count, double median_ns,
                              stats::Random& random) {
    testing::Launches launches;
    for (std::size_t i = 0; i < count; ++i) {
        const double level = random.uniform() < 0.5 ? 1 + model.levels : 1;
        const double off = random.uniform() < 0.1 ? 1 + model.far : 1;
        const TimesModel times{
            .median_ns = median_ns * std::exp(model.between * random.normal()) * level * off, .spread = 0.05};
        launches.push_back(SyntheticTimes(times, random).take(100));
    }
    return launches;
}

/// How many of so many gates at 5 % fail, with five launches each of a few points of which the first is
/// slower by this factor.
int failing_gates(const LaunchModel& model, double slowdown, int gates, std::uint64_t seed, int points = 3,
                  std::size_t launches = 5) {
    stats::Random random(seed);
    int failing = 0;
    for (int gate = 0; gate < gates; ++gate) {
        auto first = run_called("run 1");
        auto second = run_called("run 2");
        for (int point = 0; point < points; ++point) {
            const double median = 1'000.0 * (1 + point);
            add_point(first, key_at(8 * (point + 1)), launches_of(model, launches, median, random));
            add_point(second, key_at(8 * (point + 1)),
                      launches_of(model, launches, median * (point == 0 ? slowdown : 1), random));
        }
        failing += compare(std::move(first), std::move(second), {}).beyond_limit() > 0;
    }
    std::printf("%d of %d gates fail\n", failing, gates);
    return failing;
}

TEST(GateStudy, AGateOfEqualRunsFailsAtMostOnceInAHundred) {
    // Launches that differ little, much, and by levels that are fixed at launch.
    EXPECT_LE(failing_gates({.between = 0.02}, 1, 200, 7), 2);
    EXPECT_LE(failing_gates({.between = 0.06}, 1, 200, 8), 2);
    EXPECT_LE(failing_gates({.between = 0.005, .levels = 0.12}, 1, 200, 9), 2);
    EXPECT_LE(failing_gates({.between = 0.01, .far = 0.3}, 1, 200, 10), 2);
}

TEST(GateStudy, TenPercentAreFoundWhereLaunchesDifferByTwo) {
    EXPECT_GE(failing_gates({.between = 0.01}, 1.1, 100, 11), 99);
    // So many that a run misses its goal of 2 % with five, and visits its points again.
    EXPECT_GE(failing_gates({.between = 0.02}, 1.1, 100, 12, 3, 9), 95);
}

}  // namespace
}  // namespace fathom::analysis
