#include "report/sentences/point.hpp"

#include <gmock/gmock.h>

namespace fathom::report {
namespace {

using analysis::CauseKind;
using analysis::ProcessPattern;
using analysis::TimeoutKind;
using analysis::TimeoutStatus;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr double us = 1e3;
constexpr double ms = 1e6;

analysis::Cause cause_of(CauseKind kind, std::int64_t reps) {
    analysis::Cause cause;
    cause.kind = kind;
    cause.host = "h1";
    cause.rank = 1;
    cause.reps = reps;
    cause.lost_ns = 5 * ms;
    return cause;
}

TEST(CauseSentence, SaysWhatTheRepetitionsCoincideWithAndWhere) {
    EXPECT_EQ(sentence(cause_of(CauseKind::preempted, 17), 20, 30 * us),
              "17 of 20 repetitions over 30.0 us coincide with preemption on rank 1 on h1, 5.00 ms in all");
    auto fault = cause_of(CauseKind::page_fault, 1);
    EXPECT_EQ(sentence(fault, 1, 30 * us),
              "1 of 1 repetition over 30.0 us coincides with a page fault on rank 1 on h1, 5.00 ms in all");
    fault.major = true;
    fault.host.clear();
    EXPECT_THAT(sentence(fault, 1, 30 * us), HasSubstr("a page fault that waited for the disk on rank 1,"));
    auto timeout = cause_of(CauseKind::tcp_timeout, 3);
    timeout.rank.reset();
    EXPECT_THAT(sentence(timeout, 9, 30 * us), HasSubstr("a TCP timeout on host h1"));
}

TEST(ExplanationConclusion, SaysHowManyAreExplained) {
    analysis::Explanation found;
    EXPECT_EQ(conclusion(found), "No repetition stands out as slow.");
    found.slow = 20;
    found.threshold_ns = 30 * us;
    EXPECT_EQ(conclusion(found), "20 repetitions over 30.0 us; no counters were read, so no cause is named.");
    found.counted = true;
    EXPECT_THAT(conclusion(found),
                HasSubstr("they coincide with no counted event more often than by chance"));
    found.small = 3;
    found.unexplained = 17;
    EXPECT_EQ(
        conclusion(found),
        "Of 20 repetitions over 30.0 us, 3 coincide with ordinary system activity, less than 1 % of the "
        "time; 17 unexplained.");
    found.causes = {cause_of(CauseKind::migration, 10)};
    EXPECT_THAT(conclusion(found), StartsWith("10 of 20 repetitions over 30.0 us coincide with a migration"));
}

TEST(TimeoutsConclusion, SaysWhyThereAreNone) {
    analysis::Timeouts found;
    EXPECT_EQ(conclusion(found), "No timeouts show in the times.");
    found.certain = true;
    EXPECT_EQ(conclusion(found), "No timeouts: the kernel counted none that delayed a repetition.");
    found.status = TimeoutStatus::not_tcp;
    EXPECT_EQ(conclusion(found), "No TCP between hosts: there are no timeouts to look for.");
    found.status = TimeoutStatus::unclear;
    found.rto_ns = 200 * ms;
    EXPECT_EQ(conclusion(found),
              "Timeouts cannot be identified: times spread over more than one timeout (200 ms).");
}

TEST(TimeoutsConclusion, SaysWhatWasCountedAndWhatItCost) {
    analysis::Timeouts found;
    found.status = TimeoutStatus::found;
    found.rto_ns = 200 * ms;
    found.inferred = 1;
    EXPECT_THAT(
        conclusion(found),
        StartsWith("One delay looks like a timeout of 200 ms (guessed), or like a tail-loss probe, which"));
    found.certain = true;
    found.inferred = 3;
    found.counted = 4;
    found.counted_outside = 2;
    found.counted_on = {{"h0", 3}, {"h1", 1}};
    found.mean_ns = 5 * ms;
    found.mean_without_ns = 2 * ms;
    found.classes = {{.kind = TimeoutKind::none}, {.kind = TimeoutKind::repaired, .reps = 1}};
    EXPECT_EQ(
        conclusion(found),
        "The kernel counted 4 timeouts in this time (h0: 3, h1: 1; simultaneous ones at both ends count "
        "once); 3 show in the times, 1 do not. 2 more delayed no repetition. Without them the mean "
        "would be 2.00 ms instead of 5.00 ms. 1 repetition was delayed by losses that were repaired "
        "before a timeout.");
}

analysis::ProcessTimes times_of_rank(int rank, double median_ns) {
    analysis::ProcessTimes times;
    times.rank = rank;
    times.median_ns = median_ns;
    return times;
}

TEST(ProcessesConclusion, SaysHowTheyDiffer) {
    analysis::Processes found;
    EXPECT_EQ(conclusion(found), "One process: there is nothing to compare.");
    found.pattern = ProcessPattern::equal;
    found.ranks = {times_of_rank(0, 1 * us), times_of_rank(1, 3 * us)};
    EXPECT_EQ(conclusion(found), "All 2 processes take the same time within measurement error.");
    found.pattern = ProcessPattern::gradual;
    EXPECT_EQ(conclusion(found),
              "Times range from 1.00 us (rank 0) to 3.00 us (rank 1), without distinct groups.");
    found.pattern = ProcessPattern::grouped;
    found.groups = {{.ranks = {0}, .low_ns = 1 * us, .high_ns = 1 * us},
                    {.ranks = {1, 2, 3, 7}, .low_ns = 2 * us, .high_ns = 3 * us}};
    found.ranks[1].host = "slow";
    found.ranks[1].last_share = 0.93;
    found.most_often_last = 1;
    EXPECT_EQ(conclusion(found),
              "2 groups of processes; the slowest: ranks 1-3, 7, 3.00 times the fastest. Rank 1 on slow is "
              "the last to finish in 93 % of the repetitions.");
}

analysis::Distribution distribution_with(std::optional<bool> good) {
    analysis::Distribution found;
    found.count = 10'000;
    found.steps = {{1 * us, 0.5}, {2 * us, 1}};
    found.modes = {{.at_ns = 1 * us, .share = 1}};
    found.fits = {{.family = "gamma", .parameters = {}, .criterion = 0, .distance = 0.012, .good = good}};
    return found;
}

TEST(DistributionConclusion, SaysWhichFamilyFitsAndHowWell) {
    EXPECT_EQ(conclusion(distribution_with(true)),
              "One mode, at 1.00 us. The times are gamma, within 1.2 % of the distribution function.");
    EXPECT_THAT(conclusion(distribution_with(false)), HasSubstr("more than chance explains"));
    EXPECT_THAT(conclusion(distribution_with({})), HasSubstr("the effective sample size is too small"));
    auto none = distribution_with(true);
    none.fits.clear();
    EXPECT_THAT(conclusion(none), HasSubstr("Too few distinct times for a fit."));
}

TEST(DistributionConclusion, SaysWhatWasLeftOutOfTheFit) {
    auto found = distribution_with(true);
    found.modes = {{.at_ns = 1 * us, .share = 0.9}, {.at_ns = 2 * us, .share = 0.1}};
    found.body_share = 0.9;
    found.body_to_ns = 1.5 * us;
    EXPECT_THAT(conclusion(found),
                StartsWith("2 modes: 1.00 us (90.0 %) and 2.00 us (10.0 %). Without 10.0 % "
                           "beyond 1.50 us, the times are gamma"));
    found.body_share = 0.9999;
    EXPECT_THAT(conclusion(found), HasSubstr("Without 1 beyond 1.50 us"));
}

TEST(DistributionConclusion, SaysWhereThereAreTooFewTimesOrAllAreTheSame) {
    analysis::Distribution found;
    EXPECT_EQ(conclusion(found), "No times.");
    found.count = 3;
    found.steps = {{5 * us, 1}};
    EXPECT_EQ(conclusion(found), "All times are the same, 5.00 us.");
    found.steps = {{5 * us, 0.5}, {6 * us, 1}};
    EXPECT_EQ(conclusion(found), "3 times are too few to find modes and fit distributions: 20 are needed.");
}

TEST(TailQuantileReason, SaysWhatIsMissing) {
    analysis::TailQuantile quantile;
    quantile.share = 0.999;
    EXPECT_EQ(reason_of(quantile), "not enough samples for p99.9");
    quantile.value_ns = 1;
    quantile.sample_size = 50;
    quantile.least_sample_size = 367.6;
    EXPECT_EQ(reason_of(quantile), "too few: needs an effective sample size of 368, has 50");
    quantile.ci95_ns = stats::Interval{.low = 0, .high = 2};
    EXPECT_EQ(reason_of(quantile), "");
}

}  // namespace
}  // namespace fathom::report
