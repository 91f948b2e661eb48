#include "analysis/run/insights.hpp"

#include <gmock/gmock.h>

#include "analysis/run/run_result.hpp"
#include "analysis/samples/disturbance.hpp"

namespace fathom::analysis {
namespace {

using ::testing::HasSubstr;
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
    EXPECT_EQ(to_text(found[0].kind), "tails");
    EXPECT_EQ(
        found[0].text,
        "bcast, 64 KiB, 8 processes: one repetition in 100 takes 10.0 us or more, 10.0 times the median of "
        "1.00 us");
}

TEST(Insights, TellTimeoutsWithWhatWouldBeGained) {
    RunResult result;
    result.points = {timed_point("bcast", 65'536, 2e6)};
    Timeouts timeouts;
    timeouts.status = TimeoutStatus::found;
    timeouts.mean_ns = 3.9e6;
    timeouts.mean_without_ns = 2.2e6;
    timeouts.text = "41 of 5000 repetitions waited for a timeout";
    result.points[0].analyses.timeouts = timeouts;
    const auto found = insights_of(result);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_NEAR(found[0].weight, 3.9 / 2.2, 1e-9);
    EXPECT_THAT(found[0].text, HasSubstr("41 of 5000"));
    EXPECT_THAT(found[0].remedy, HasSubstr("drops packets"));
}

TEST(Insights, OfOneKindAndOperationAreToldOnceByTheWeightiest) {
    RunResult result;
    Violation violation;
    violation.key.operation = "allreduce";
    violation.text = "small";
    violation.factor = 1.3;
    result.scaling.violations.push_back(violation);
    violation.text = "large";
    violation.factor = 2.5;
    result.scaling.violations.push_back(violation);
    violation.key.operation = "bcast";
    violation.text = "other";
    violation.factor = 1.5;
    result.scaling.violations.push_back(violation);
    const auto found = insights_of(result);
    ASSERT_THAT(found, SizeIs(2));
    EXPECT_EQ(found[0].text, "large (and 1 more like this)");
    EXPECT_EQ(found[1].text, "other");
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
    EXPECT_EQ(found[0].text, "1 of 2 points failed, first bcast, 16 B, 8 processes: wrong data");
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
    EXPECT_THAT(found[0].text, HasSubstr("1.00 us in 70 % of the repetitions and 3.00 us in 30 %"));
    EXPECT_NEAR(found[0].weight, 1.6, 1e-9);
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
    hump.text = "the hump";
    result.scaling.anomalies = {hump};
    Violation same;
    same.of_larger = true;
    same.key.operation = "bcast";
    same.key.procs = 8;
    same.factor = 1.5;
    same.text = "the hump again";
    result.scaling.violations = {same};
    const auto found = insights_of(result);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found.front().text, "the hump");
}

TEST(Insights, LeaveTimeoutsToTheirOwnAnalysis) {
    RunResult result;
    result.points = {timed_point("bcast", 8, 1'000)};
    Explanation explanation;
    explanation.slow = 10;
    Cause cause;
    cause.kind = CauseKind::tcp_timeout;
    cause.text = "told elsewhere";
    cause.reps = 10;
    explanation.causes = {cause};
    result.points[0].analyses.explanation = explanation;
    EXPECT_THAT(insights_of(result), IsEmpty());
    result.points[0].analyses.explanation.causes[0].kind = CauseKind::preempted;
    const auto found = insights_of(result);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(to_text(found[0].kind), "explanation");
    EXPECT_NEAR(found[0].weight, 1.01, 1e-9);
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
    const PointWarning warning{PointWarningKind::disturbed, "meanwhile"};
    result.points[0].warnings = {warning};
    result.points[1].warnings = {warning};
    EXPECT_THAT(insights_of(result), IsEmpty());
    result.points[2].warnings = {warning};
    const auto found = insights_of(result);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].text, "Other programs used the processors while 3 of 8 points were measured");
}

}  // namespace
}  // namespace fathom::analysis
