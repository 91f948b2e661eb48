#include "report/sentences/overlap.hpp"

#include <gmock/gmock.h>

namespace fathom::report {
namespace {

using analysis::OverlapReason;
using analysis::OverlapReasonKind;
using analysis::ProgressVerdict;
using ::testing::HasSubstr;

stats::Reduced share(double value, double reach = 0) {
    return {.value = value, .ci95 = stats::Interval{.low = value - reach, .high = value + reach}};
}

analysis::PointResult result_with(ProgressVerdict progress, double availability) {
    analysis::PointResult point;
    auto& result = point.overlap.emplace();
    result.progress = progress;
    result.message.emplace().plain.availability = share(availability);
    return point;
}

TEST(ProgressSentence, SaysTheVerdictWithItsFigure) {
    using enum ProgressVerdict;
    EXPECT_EQ(progress_sentence(result_with(by_itself, 0.8)),
              "goes on without help: availability 0.800 (0.800 .. 0.800)");
    EXPECT_EQ(progress_sentence(result_with(in_part, 0.2)),
              "overlaps in part: availability 0.200 (0.200 .. 0.200)");
    EXPECT_EQ(progress_sentence(result_with(none, 0)),
              "does not overlap at all: availability 0.000 (0.000 .. 0.000), not distinguishable from none");
    EXPECT_EQ(progress_sentence(result_with(unknown, 0.5)), "");
    auto few = result_with(undecided, 0.8);
    few.overlap->message->plain.availability->ci95.reset();
    EXPECT_EQ(
        progress_sentence(few),
        "undecided whether communication progresses without calls: availability 0.800, too few rounds for an "
        "interval");
}

TEST(ProgressSentence, SaysWhatTestsAndAThreadChange) {
    auto calls = result_with(ProgressVerdict::needs_calls, 0.02);
    calls.overlap->message->tests = 2;
    calls.overlap->message->with_tests.availability = share(0.85);
    calls.overlap->tests_help = true;
    EXPECT_EQ(
        progress_sentence(calls),
        "needs the program's calls: availability 0.020 (0.020 .. 0.020), but 0.850 (0.850 .. 0.850) with "
        "2 calls to MPI_Test");
    auto threaded = result_with(ProgressVerdict::none, 0.01);
    threaded.overlap->thread = {.kind = analysis::ProgressThreadEffect::Kind::helps,
                                .availability = share(0.9)};
    EXPECT_EQ(progress_sentence(threaded),
              "does not overlap at all: availability 0.010 (0.010 .. 0.010); a progress thread helps: "
              "availability 0.900 (0.900 .. 0.900) with it");
}

TEST(ProgressSentence, SaysWhyAStudyDecidesNothing) {
    auto point = result_with(ProgressVerdict::needs_calls, 0.02);
    point.quality = analysis::Quality::imprecise;
    EXPECT_EQ(progress_sentence(point),
              "undecided whether communication progresses without calls: its times are imprecise");
    point.warnings.push_back({analysis::Disturbed{}});
    EXPECT_THAT(progress_sentence(point), HasSubstr("ranks were preempted during the study"));
    EXPECT_THAT(progress_sentence(result_with(ProgressVerdict::none, -20)),
                HasSubstr("its availability is outside 0 to 1"));
}

TEST(OverlapReasonSentence, HasTheFigures) {
    EXPECT_EQ(
        sentence(OverlapReason{.kind = OverlapReasonKind::work_limit,
                               .time_ns = 10'000,
                               .work_ns = 10'800,
                               .iteration_ns = 11'800,
                               .threshold = 1.75,
                               .transfer_ns = 12'000}),
        "no overhead: the work limit was reached before work clearly exceeded the message; with 10.8 us "
        "of work an iteration took 11.8 us, against a base of 10.0 us and a transfer of 12.0 us "
        "(required: 1.75 times the base); give a longer --work-limit");
    EXPECT_EQ(
        sentence(OverlapReason{.kind = OverlapReasonKind::no_reference, .time_ns = 60, .resolution_ns = 20}),
        "no availability: the base of 60 ns is too short for a clock that steps by 20 ns, and the time of "
        "the transfer is unknown");
    EXPECT_THAT(sentence(OverlapReason{.kind = OverlapReasonKind::against_transfer, .transfer_ns = 12'000}),
                HasSubstr("availability is relative to the transfer of 12.0 us"));
}

}  // namespace
}  // namespace fathom::report
