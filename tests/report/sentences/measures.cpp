#include "report/sentences/measures.hpp"

#include <gtest/gtest.h>

namespace fathom::report {
namespace {

using analysis::Measure;
using analysis::MeasureKind;

Measure measure_of(MeasureKind kind, double value) {
    return {.kind = kind, .value = value, .ci95 = {}};
}

TEST(MeasureSentence, SaysRatesWithTheirUnit) {
    EXPECT_EQ(sentence(measure_of(MeasureKind::pieces_per_s, 1'200)), "1 200 pieces/s");
    EXPECT_EQ(sentence(measure_of(MeasureKind::pieces_per_s, 2.5)), "2.5 pieces/s");
    EXPECT_EQ(sentence(measure_of(MeasureKind::messages_per_s, 2'500)), "2500 messages/s");
    auto paired = measure_of(MeasureKind::messages_per_s, 2.5e6);
    paired.pairs = 4;
    EXPECT_EQ(sentence(paired), "2.5 million messages/s over 4 pairs");
}

TEST(MeasureSentence, NamesTheRanksThatStandOut) {
    EXPECT_EQ(sentence(measure_of(MeasureKind::master_busy_share, 0.25)),
              "the master was busy 25 % of the time");
    auto fairness = measure_of(MeasureKind::fairness, 1);
    EXPECT_EQ(sentence(fairness), "fairness 1.000 (every worker had the same number of pieces)");
    fairness.value = 16.0 / 18;
    fairness.extremes = {.least = {.rank = 1, .share = 0.25}, .most = {.rank = 2, .share = 0.5}};
    EXPECT_EQ(sentence(fairness),
              "fairness 0.889 (rank 1 had the fewest pieces, 25 %; rank 2 the most, 50 %)");
    auto compute = measure_of(MeasureKind::compute_share, 0.5);
    EXPECT_EQ(sentence(compute), "computing 50 %");
    compute.extremes = fairness.extremes;
    EXPECT_EQ(sentence(compute), "computing 50 % (rank 2 most, 50 %; rank 1 least, 25 %)");
    auto allreduce = measure_of(MeasureKind::allreduce_share, 0.33);
    allreduce.extremes = fairness.extremes;
    allreduce.extremes->waited_for = true;
    EXPECT_EQ(sentence(allreduce),
              "allreduce 33 % (rank 2 most, 50 %; rank 1 least, 25 %: the others wait for it)");
    EXPECT_EQ(sentence(measure_of(MeasureKind::point_to_point_share, 0.17)), "point-to-point 17 %");
}

TEST(MeasureSentence, JudgesDuplexUnlessItsIntervalLeavesItOpen) {
    auto ratio = measure_of(MeasureKind::duplex_ratio, 1.5);
    EXPECT_EQ(sentence(ratio), "sendrecv takes 1.50 times as long as one way: partly duplex");
    ratio.ci95 = stats::Interval{.low = 1.1, .high = 1.9};
    EXPECT_EQ(
        sentence(ratio),
        "sendrecv takes 1.50 times as long as one way: uncertain, the 95 % interval is 1.10 .. 1.90, full "
        "duplex to no duplex");
}

TEST(MeasureSentence, HasTheIntervalsOfOverlap) {
    auto overhead = measure_of(MeasureKind::overhead_ns, 1'000);
    overhead.ci95 = stats::Interval{.low = 1'000, .high = 1'000};
    EXPECT_EQ(sentence(overhead), "overhead 1.00 us (1.00 .. 1.00 us)");
    auto availability = measure_of(MeasureKind::availability, 0.9);
    availability.ci95 = stats::Interval{.low = 0.9, .high = 0.9};
    EXPECT_EQ(sentence(availability), "availability 0.900 (0.900 .. 0.900)");
}

}  // namespace
}  // namespace fathom::report
