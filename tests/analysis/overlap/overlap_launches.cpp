#include "analysis/overlap/overlap_launches.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace fathom::analysis {
namespace {

OverlapResult start_of(double base_ns, double availability) {
    OverlapResult result;
    auto& message = result.message.emplace();
    message.base_ns = Reduced{.value = base_ns, .ci95 = {}};
    message.plain.availability = Reduced{.value = availability, .ci95 = {}};
    return result;
}

TEST(OverlapOfSeveralStarts, IsTheMedianWithStudentsIntervalOverStarts) {
    const auto result = together({start_of(100, 0.9), start_of(104, 0.9), start_of(102, 0.9)});
    EXPECT_DOUBLE_EQ(result.message->base_ns->value, 102);
    // The standard error is 2 / sqrt(3), t(0.975, 2 degrees) = 4.30265, and a median of three costs 1.160.
    EXPECT_NEAR(result.message->base_ns->ci95->high, 102 + 1.160 * 4.30265 * 2 / std::sqrt(3.0), 1e-3);
    EXPECT_DOUBLE_EQ(result.message->plain.availability->ci95->low, 0.9);
    EXPECT_EQ(result.progress, ProgressVerdict::by_itself) << "it is judged anew";
}

TEST(OverlapOfSeveralStarts, IsNotSureBecauseAFewHappenToAgree) {
    auto start = start_of(100, 0.9);
    start.message->base_ns->ci95 = stats::Interval{.low = 97, .high = 103};
    const auto result = together({start, start, start});
    EXPECT_NEAR(result.message->base_ns->ci95->high, 100 + 3 / std::sqrt(3.0), 1e-9);
}

OverlapResult tried(const std::vector<std::pair<std::int64_t, double>>& overheads) {
    OverlapResult result;
    auto& collective = result.collective.emplace();
    for (const auto& [tests, overhead_ns] : overheads) {
        SchemesOverlap at;
        at.tests = tests;
        at.work_based.overhead_ns = Reduced{.value = overhead_ns, .ci95 = {}};
        collective.intervals.push_back(at);
    }
    return result;
}

TEST(OverlapOfSeveralStarts, JoinsTheTestsThatAllHaveTriedAndFindsTheBestOfThem) {
    const auto result =
        together({tried({{2, 10}, {3, 20}, {5, 1}}), tried({{2, 40}, {3, 20}}), tried({{2, 40}, {3, 21}})});
    const auto& collective = *result.collective;
    ASSERT_EQ(collective.intervals.size(), 2U);
    EXPECT_DOUBLE_EQ(collective.intervals[0].work_based.overhead_ns->value, 40);
    EXPECT_DOUBLE_EQ(collective.intervals[1].work_based.overhead_ns->value, 20);
    EXPECT_EQ(collective.best, 1U);
}

TEST(OverlapOfSeveralStarts, LeavesOutALaunchInWhichEveryRepetitionIsInvalid) {
    auto sound = tried({{2, 10}, {3, 5}});
    sound.collective->t_b_ns = Reduced{.value = 100, .ci95 = {}};
    sound.collective->best = 1;
    OverlapResult invalid;
    invalid.collective.emplace();
    for (const auto& launches : {std::vector{sound, invalid}, std::vector{invalid, sound}}) {
        const auto result = together(launches);
        ASSERT_TRUE(result.collective);
        EXPECT_EQ(result.collective->intervals.size(), 2U);
        EXPECT_EQ(result.collective->best, 1U);
        EXPECT_EQ(result.best_tests(), 3);
    }
    EXPECT_FALSE(together({invalid, invalid}).collective->best);
}

TEST(OverlapOfSeveralStarts, KeepsTheFirstWhereStartsDoNotAgreeOnWhatThereIs) {
    EXPECT_DOUBLE_EQ(together({start_of(100, 0.9), OverlapResult{}}).message->base_ns->value, 100);
    auto lacking = start_of(200, 0.5);
    lacking.message->base_ns.reset();
    EXPECT_DOUBLE_EQ(together({start_of(100, 0.9), lacking}).message->base_ns->value, 100);
}

}  // namespace
}  // namespace fathom::analysis
