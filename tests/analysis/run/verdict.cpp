#include "analysis/run/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/run/run_result.hpp"
#include "analysis/samples/disturbance.hpp"

namespace fathom::analysis {
namespace {

using ::testing::ElementsAre;
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
    const auto& failed = std::get<FailedPoint>(verdict.reasons.at(0));
    EXPECT_EQ(failed.key.operation, "bcast");
    EXPECT_EQ(failed.reason, "wrong data");
}

TEST(VerdictOn, NothingMeasuredIsAgainstIt) {
    EXPECT_FALSE(judge(run_of({PointStatus::unavailable})).accepted);
    EXPECT_FALSE(judge(run_of({})).accepted);
}

TEST(VerdictOn, WhatStandsOutIsAgainstIt) {
    auto result = run_of({PointStatus::ok});
    SlowComponent slow;
    slow.kind = ComponentKind::host;
    slow.hosts = {"h3"};
    result.slow_components.found.push_back(slow);
    const auto verdict = judge(result);
    EXPECT_FALSE(verdict.accepted);
    EXPECT_THAT(std::get<SlowComponent>(verdict.reasons.at(0)).hosts, ElementsAre("h3"));
}

TEST(VerdictOn, AMatrixThatWasDisturbedIsNotDecided) {
    auto result = run_of({PointStatus::ok});
    result.slow_components.limit = MatrixLimit::disturbed;
    const auto verdict = judge(result);
    EXPECT_FALSE(verdict.accepted);
    EXPECT_FALSE(verdict.decided);
    EXPECT_EQ(std::get<MatrixLimit>(verdict.reasons.at(0)), MatrixLimit::disturbed);
    EXPECT_THAT(verdict.remarks, IsEmpty());
    result.points.push_back(run_of({PointStatus::failed}).points[0]);
    EXPECT_TRUE(judge(result).decided) << "whatever the matrix would say";
    result.slow_components.limit = MatrixLimit::two_hosts;
    EXPECT_TRUE(judge(result).decided);
}

TEST(VerdictOn, ClocksThatDoNotHoldAreAgainstIt) {
    auto result = run_of({PointStatus::ok});
    result.clock_check.push_back({.after_ns = 1'000'000'000, .holds = false});
    EXPECT_EQ(std::get<ClocksExceeded>(judge(result).reasons.at(0)).after_ns, 1'000'000'000);
}

TEST(VerdictOn, ADisturbedMachineIsLessSure) {
    auto result = run_of({PointStatus::ok});
    result.points[0].warnings.push_back({Disturbed{}});
    const auto verdict = judge(result);
    EXPECT_TRUE(verdict.accepted);
    EXPECT_EQ(std::get<DisturbedPoints>(verdict.remarks.at(0)).disturbed, 1U);
}

}  // namespace
}  // namespace fathom::analysis
