#include "analysis/run/insights.hpp"

#include <gmock/gmock.h>

#include "analysis/run/run_result.hpp"
#include "analysis/samples/disturbance.hpp"

namespace fathom::analysis {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

PointResult timed_point(const std::string& operation, std::int64_t size, double median_ns, int procs = 8) {
    PointResult point;
    point.key.operation = operation;
    point.key.procs = procs;
    point.key.size = {size};
    point.status = journal::PointStatus::ok;
    point.reps = 1'000;
    stats::Summary time;
    time.count = 1'000;
    time.median = median_ns;
    point.time_ns = time;
    return point;
}

TailQuantile quantile_of(double value_ns, double low_ns) {
    TailQuantile quantile;
    quantile.share = 0.99;
    quantile.value_ns = value_ns;
    quantile.ci95_ns = stats::Interval{low_ns, value_ns * 2};
    return quantile;
}

TEST(Insights, OfNothingAreNone) {
    EXPECT_THAT(insights_of({}), IsEmpty());
}

TEST(Insights, OfACalmPointAreNone) {
    RunResult result;
    result.points = {timed_point("bcast", 8, 1'000)};
    Tails tails;
    tails.quantiles = {quantile_of(1'500, 1'400)};
    result.points[0].analyses.tails = tails;
    result.points[0].analyses.distribution = Distribution{};
    result.points[0].analyses.explanation = Explanation{};
    Timeouts timeouts;
    timeouts.status = TimeoutStatus::none;
    result.points[0].analyses.timeouts = timeouts;
    EXPECT_THAT(insights_of(result), IsEmpty());
}

TEST(Insights, TellLongTailsOnlyWhereTheIntervalIsSureOfThem) {
    RunResult result;
    result.points = {timed_point("bcast", 65'536, 1'000)};
    Tails tails;
    tails.quantiles = {quantile_of(10'000, 2'000)};
    result.points[0].analyses.tails = tails;
    EXPECT_THAT(insights_of(result), IsEmpty());
    result.points[0].analyses.tails.quantiles = {quantile_of(10'000, 9'000)};
    const auto found = insights_of(result);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(to_text(found[0].kind()), "tails");
    const auto& tail = std::get<LongTail>(found[0].facts);
    EXPECT_EQ(tail.p99_ns, 10'000);
    EXPECT_EQ(tail.median_ns, 1'000);
}

TEST(Insights, TellTailsAndModesOfTheRepetitionsThatCount) {
    RunResult result;
    result.points = {timed_point("bcast", 65'536, 1'000)};
    auto& analyses = result.points[0].analyses;
    analyses.tails.quantiles = {quantile_of(10'000, 9'000)};
    analyses.distribution.modes = {{.at_ns = 1'000, .share = 0.7, .from_ns = 0, .to_ns = 0},
                                   {.at_ns = 4'000, .share = 0.3, .from_ns = 0, .to_ns = 0}};
    EXPECT_THAT(insights_of(result), SizeIs(2));
    analyses.counted.emplace();
    EXPECT_THAT(insights_of(result), IsEmpty()) << "the others were set aside";
    analyses.counted->tails = analyses.tails;
    analyses.counted->distribution = analyses.distribution;
    EXPECT_THAT(insights_of(result), SizeIs(2));
}

TEST(Insights, OfADisturbedPointAreNeitherTailsNorModes) {
    RunResult result;
    result.points = {timed_point("bcast", 65'536, 1'000)};
    result.points[0].analyses.tails.quantiles = {quantile_of(10'000, 9'000)};
    result.points[0].analyses.distribution.modes = {{.at_ns = 1'000, .share = 0.7, .from_ns = 0, .to_ns = 0},
                                                    {.at_ns = 4'000, .share = 0.3, .from_ns = 0, .to_ns = 0}};
    result.points[0].quality = Quality::imprecise;
    EXPECT_THAT(insights_of(result), SizeIs(2));
    result.points[0].quality = Quality::disturbed;
    EXPECT_THAT(insights_of(result), IsEmpty());
}

TEST(Insights, TellTimeoutsWithWhatWouldBeGained) {
    RunResult result;
    result.points = {timed_point("bcast", 65'536, 2e6)};
    Timeouts timeouts;
    timeouts.status = TimeoutStatus::found;
    timeouts.mean_ns = 3.9e6;
    timeouts.mean_without_ns = 2.2e6;
    timeouts.inferred = 41;
    result.points[0].analyses.timeouts = timeouts;
    const auto found = insights_of(result);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_NEAR(found[0].weight, 3.9 / 2.2, 1e-9);
    EXPECT_EQ(std::get<Timeouts>(found[0].facts).inferred, 41);
}

TEST(Insights, OfOneKindAndOperationAreToldOnceByTheWeightiest) {
    RunResult result;
    Violation violation;
    violation.key.operation = "allreduce";
    violation.factor = 1.3;
    result.scaling.violations.push_back(violation);
    violation.factor = 2.5;
    result.scaling.violations.push_back(violation);
    violation.key.operation = "bcast";
    violation.factor = 1.5;
    result.scaling.violations.push_back(violation);
    const auto found = insights_of(result);
    ASSERT_THAT(found, SizeIs(2));
    EXPECT_EQ(std::get<Violation>(found[0].facts).factor, 2.5);
    EXPECT_EQ(found[0].more, 1U);
    EXPECT_EQ(std::get<Violation>(found[1].facts).key.operation, "bcast");
    EXPECT_EQ(found[1].more, 0U);
}

TEST(Insights, BeginWithPointsThatFailed) {
    RunResult result;
    result.points = {timed_point("bcast", 8, 1'000), timed_point("bcast", 16, 1'000)};
    result.points[1].status = journal::PointStatus::failed;
    result.points[1].reason = "wrong data";
    Violation violation;
    violation.factor = 900;
    result.scaling.violations.push_back(violation);
    const auto found = insights_of(result);
    ASSERT_THAT(found, SizeIs(2));
    const auto& failed = std::get<FailedPoints>(found[0].facts);
    EXPECT_EQ(failed.failed, 1U);
    EXPECT_EQ(failed.of, 2U);
    EXPECT_EQ(failed.reason, "wrong data");
    EXPECT_EQ(found[0].key, result.points[1].key);
}

TEST(Insights, TellTwoModesThatAreFarApart) {
    RunResult result;
    result.points = {timed_point("alltoall", 1'024, 1'000)};
    Distribution distribution;
    distribution.modes = {{.at_ns = 1'000, .share = 0.7, .from_ns = 0, .to_ns = 0},
                          {.at_ns = 1'100, .share = 0.3, .from_ns = 0, .to_ns = 0}};
    result.points[0].analyses.distribution = distribution;
    EXPECT_THAT(insights_of(result), IsEmpty());
    result.points[0].analyses.distribution.modes[1].at_ns = 3'000;
    const auto found = insights_of(result);
    ASSERT_THAT(found, SizeIs(1));
    const auto& modes = std::get<TwoModes>(found[0].facts);
    EXPECT_EQ(modes.fast.at_ns, 1'000);
    EXPECT_EQ(modes.slow.at_ns, 3'000);
    EXPECT_NEAR(found[0].weight, 1.6, 1e-9);
}

TEST(Insights, TellAModeTogetherWithItsCause) {
    RunResult result;
    result.points = {timed_point("alltoall", 1'024, 1'000)};
    auto& analyses = result.points[0].analyses;
    analyses.distribution.modes = {{.at_ns = 1'000, .share = 0.7, .from_ns = 0, .to_ns = 0},
                                   {.at_ns = 3'000, .share = 0.3, .from_ns = 0, .to_ns = 0}};
    analyses.explanation.slow = 300;
    analyses.explanation.threshold_ns = 2'000;
    Cause cause;
    cause.kind = CauseKind::preempted;
    cause.reps = 200;
    analyses.explanation.causes = {cause};
    const auto found = insights_of(result);
    ASSERT_THAT(found, SizeIs(1)) << "the cause is not told again";
    EXPECT_EQ(std::get<TwoModes>(found[0].facts).cause.value().cause.kind, CauseKind::preempted);
    analyses.explanation.causes[0].reps = 100;
    EXPECT_THAT(insights_of(result), SizeIs(2)) << "most of the mode has another cause";
    analyses.explanation.causes[0].reps = 200;
    analyses.explanation.threshold_ns = 4'000;
    EXPECT_THAT(insights_of(result), SizeIs(2)) << "the mode is none of the slow repetitions";
}

TEST(Insights, OfPointsWithWarningsFollowAfterAllOthers) {
    RunResult result;
    result.points = {timed_point("bcast", 8, 1'000), timed_point("bcast", 16, 1'000),
                     timed_point("reduce", 8, 1'000), timed_point("scan", 8, 1'000)};
    result.points[0].warnings = {{Disturbed{}}};
    result.points[2].warnings = {{LimitReached{"too few"}}};
    for (std::size_t i = 0; i < result.points.size(); ++i) {
        Violation violation;
        violation.key = result.points[i].key;
        violation.factor = 10 - static_cast<double>(i);
        result.scaling.violations.push_back(violation);
    }
    const auto found = insights_of(result);
    ASSERT_THAT(found, SizeIs(3));
    EXPECT_EQ(found[0].key, result.points[1].key) << "of two like each other, the one without a warning";
    EXPECT_EQ(found[1].key, result.points[3].key);
    EXPECT_EQ(found[2].key, result.points[2].key);
    EXPECT_TRUE(found[2].warned);
}

TEST(Insights, AreNotOfOtherBenchmarksSchemesNorOfRanksThatDiffer) {
    RunResult result;
    result.points = {timed_point("alltoall", 1'024, 1'000)};
    auto& point = result.points[0];
    Distribution distribution;
    distribution.modes = {{.at_ns = 1'000, .share = 0.7, .from_ns = 0, .to_ns = 0},
                          {.at_ns = 3'000, .share = 0.3, .from_ns = 0, .to_ns = 0}};
    point.analyses.distribution = distribution;
    point.key.scheme = "as-imb";
    EXPECT_THAT(insights_of(result), IsEmpty());
    point.key.scheme = "fathom";
    EXPECT_THAT(insights_of(result), SizeIs(1));
    point.over_ranks = plan::OverRanks::each;
    EXPECT_THAT(insights_of(result), IsEmpty());
}

TEST(Insights, TellOneFactOnce) {
    RunResult result;
    Anomaly hump;
    hump.kind = AnomalyKind::hump;
    hump.key.operation = "bcast";
    hump.key.procs = 8;
    hump.factor = 1.5;
    result.scaling.anomalies = {hump};
    Violation same;
    same.of_larger = true;
    same.key.operation = "bcast";
    same.key.procs = 8;
    same.factor = 1.5;
    result.scaling.violations = {same};
    const auto found = insights_of(result);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found.front().kind(), InsightKind::hump);
}

TEST(Insights, LeaveTimeoutsToTheirOwnAnalysis) {
    RunResult result;
    result.points = {timed_point("bcast", 8, 1'000)};
    Explanation explanation;
    explanation.slow = 10;
    Cause cause;
    cause.kind = CauseKind::tcp_timeout;
    cause.reps = 10;
    explanation.causes = {cause};
    result.points[0].analyses.explanation = explanation;
    EXPECT_THAT(insights_of(result), IsEmpty());
    result.points[0].analyses.explanation.causes[0].kind = CauseKind::preempted;
    const auto found = insights_of(result);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(to_text(found[0].kind()), "explanation");
    EXPECT_NEAR(found[0].weight, 1.01, 1e-9);
}

TEST(Insights, LeavePageFaultsThatNeedNoDiskToTheExplanation) {
    RunResult result;
    result.points = {timed_point("bcast", 8, 1'000)};
    auto& causes = result.points[0].analyses.explanation.causes;
    Cause cause;
    cause.kind = CauseKind::page_fault;
    cause.reps = 400;
    causes = {cause};
    EXPECT_THAT(insights_of(result), IsEmpty()) << "nothing can be done about them";
    causes[0].major = true;
    EXPECT_THAT(insights_of(result), SizeIs(1)) << "memory is short";
    causes[0].major = false;
    cause.kind = CauseKind::preempted;
    causes.push_back(cause);
    const auto found = insights_of(result);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(std::get<SlowRepetitions>(found[0].facts).cause.kind, CauseKind::preempted) << "the next cause";
}

TEST(Insights, TellACauseOnceForAllOperations) {
    RunResult result;
    result.points = {timed_point("bcast", 8, 1'000), timed_point("allreduce", 8, 1'000)};
    for (auto& point : result.points) {
        Explanation explanation;
        Cause cause;
        cause.kind = CauseKind::preempted;
        cause.reps = point.key.operation == "bcast" ? 10 : 20;
        explanation.causes = {cause};
        point.analyses.explanation = explanation;
    }
    const auto found = insights_of(result);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].key.operation, "allreduce");
}

TEST(Insights, TellOfDisturbanceWhereItIsWidespread) {
    RunResult result;
    for (int i = 0; i < 8; ++i) {
        result.points.push_back(timed_point("bcast", 8 << i, 1'000));
    }
    const PointWarning warning{Disturbed{}};
    result.points[0].warnings = {warning};
    result.points[1].warnings = {warning};
    EXPECT_THAT(insights_of(result), IsEmpty());
    result.points[2].warnings = {warning};
    const auto found = insights_of(result);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(std::get<DisturbedPoints>(found[0].facts).disturbed, 3U);
    EXPECT_EQ(std::get<DisturbedPoints>(found[0].facts).of, 8U);
}

}  // namespace
}  // namespace fathom::analysis
