// How often comparisons are wrong: a few tables and gates of each kind, which fail if the procedure is
// broken. `fathom-comparisons` has as many as a rate needs.
#include <gtest/gtest.h>

#include "analysis/comparison_rates.hpp"

namespace fathom::analysis {
namespace {

using testing::failing_gates;
using testing::table_rates;

// Seeds are fixed, so an expectation is the number that is found with them; a few other seeds have a false
// alarm while the rates are those of docs/method.md.

TEST(ComparisonRates, EqualTablesHaveHardlyAFalseAlarm) {
    const auto rates = table_rates({.tables = 2}, 1);
    EXPECT_EQ(rates.with_false_alarm, 0);
    EXPECT_GT(rates.same, 0.95);
}

TEST(ComparisonRates, OnePointThatIsFivePercentSlowerIsFound) {
    const auto rates = table_rates({.tables = 2, .slowdown = 1.05}, 2);
    EXPECT_EQ(rates.found, 2);
    EXPECT_EQ(rates.with_false_alarm, 0);
}

TEST(ComparisonRates, LaunchesThatDifferByOnePercentAreNoAlarm) {
    const auto rates = table_rates({.tables = 2, .between = 0.01}, 3);
    EXPECT_EQ(rates.with_false_alarm, 0);
    EXPECT_EQ(rates.beyond, 0);
}

TEST(ComparisonRates, FiveLaunchesFindFivePercentWhereTheyDifferByHalfAPercent) {
    const auto rates = table_rates({.tables = 1, .launches = 5, .between = 0.005, .slowdown = 1.05}, 5);
    EXPECT_EQ(rates.found, 1);
    EXPECT_EQ(rates.beyond, 0);
}

TEST(ComparisonRates, ATableThatIsSlowerAsAWholeIsFoundSo) {
    EXPECT_EQ(table_rates({.tables = 1, .slowdown = 1.05, .all_slower = 1.05}, 6).found, 1);
}

TEST(GateRates, AGateOfEqualRunsHardlyEverFails) {
    // Launches that differ little, much, and by levels that are fixed at launch.
    EXPECT_EQ(failing_gates({.between = 0.02}, 1, 10, 7), 0);
    EXPECT_EQ(failing_gates({.between = 0.06}, 1, 10, 8), 0);
    EXPECT_LE(failing_gates({.between = 0.005, .levels = 0.12}, 1, 10, 9), 1);
    EXPECT_EQ(failing_gates({.between = 0.01, .far = 0.3}, 1, 10, 10), 0);
}

TEST(GateRates, TenPercentAreFoundWhereLaunchesDifferByTwo) {
    EXPECT_GE(failing_gates({.between = 0.01}, 1.1, 10, 11), 9);
    // So many that a run misses its goal of 2 % with five, and visits its points again.
    EXPECT_GE(failing_gates({.between = 0.02}, 1.1, 10, 12, 9), 8);
}

}  // namespace
}  // namespace fathom::analysis
