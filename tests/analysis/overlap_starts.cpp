#include "analysis/overlap_starts.hpp"

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
    // The standard error is 2 / sqrt(3), t(0.975, 2 degrees) = 4.30265.
    EXPECT_NEAR(result.message->base_ns->ci95->high, 102 + 4.30265 * 2 / std::sqrt(3.0), 1e-3);
    EXPECT_DOUBLE_EQ(result.message->plain.availability->ci95->low, 0.9);
    EXPECT_EQ(result.verdict.find("goes on without help"), 0U) << "it is judged anew";
}

TEST(OverlapOfSeveralStarts, KeepsTheFirstWhereStartsDoNotAgreeOnWhatThereIs) {
    EXPECT_DOUBLE_EQ(together({start_of(100, 0.9), OverlapResult{}}).message->base_ns->value, 100);
    auto lacking = start_of(200, 0.5);
    lacking.message->base_ns.reset();
    EXPECT_DOUBLE_EQ(together({start_of(100, 0.9), lacking}).message->base_ns->value, 100);
}

}  // namespace
}  // namespace fathom::analysis
