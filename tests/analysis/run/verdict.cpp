#include "analysis/run/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/run/run_result.hpp"
#include "analysis/samples/disturbance.hpp"

namespace fathom::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

RunResult run_of(const std::vector<PointStatus>& statuses) {
    RunResult result;
    for (const auto& status : statuses) {
        PointResult point;
        point.key.operation = "bcast";
        point.key.procs = 4;
        point.status = status;
        point.reason = status == PointStatus::failed ? "wrong data" : "";
        result.points.push_back(point);
    }
    return result;
}

TEST(VerdictOn, AGoodRunIsAccepted) {
    const auto verdict = judge(run_of({PointStatus::ok, PointStatus::unavailable, PointStatus::ok}));
    EXPECT_TRUE(verdict.accepted);
    EXPECT_THAT(verdict.reasons, IsEmpty());
    EXPECT_THAT(verdict.remarks, IsEmpty());
}

TEST(VerdictOn, AFailedPointIsAgainstIt) {
    const auto verdict = judge(run_of({PointStatus::ok, PointStatus::failed}));
    EXPECT_FALSE(verdict.accepted);
    EXPECT_THAT(verdict.reasons, ElementsAre("bcast, 0 B, 4 processes failed: wrong data"));
}

TEST(VerdictOn, NothingMeasuredIsAgainstIt) {
    EXPECT_FALSE(judge(run_of({PointStatus::unavailable})).accepted);
    EXPECT_FALSE(judge(run_of({})).accepted);
}

TEST(VerdictOn, WhatStandsOutIsAgainstIt) {
    auto result = run_of({PointStatus::ok});
    SlowComponent slow;
    slow.kind = ComponentKind::host;
    slow.who = "h3";
    slow.text = "host h3 is slow";
    result.slow_components.found.push_back(slow);
    const auto verdict = judge(result);
    EXPECT_FALSE(verdict.accepted);
    EXPECT_THAT(verdict.reasons, ElementsAre("host h3 is slow"));
}

TEST(VerdictOn, ClocksThatDoNotHoldAreAgainstIt) {
    auto result = run_of({PointStatus::ok});
    result.clock_check.push_back({.after_ns = 1'000'000'000, .holds = false});
    EXPECT_THAT(judge(result).reasons, ElementsAre(HasSubstr("the clocks exceeded their error bounds")));
}

TEST(VerdictOn, ADisturbedMachineIsLessSure) {
    auto result = run_of({PointStatus::ok});
    result.points[0].warnings.push_back({PointWarningKind::disturbed, "from 1 to 2"});
    const auto verdict = judge(result);
    EXPECT_TRUE(verdict.accepted);
    EXPECT_THAT(verdict.remarks, ElementsAre(HasSubstr("1 of 1 points")));
}

}  // namespace
}  // namespace fathom::analysis
