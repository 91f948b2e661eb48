#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/run/run_result.hpp"
#include "store/sample_clock.hpp"
#include "store/sample_study.hpp"

namespace fathom::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::point_spec;
using testing::SampleMessage;
using testing::SampleStore;
using testing::SampleStudy;

/// The study of one point, on clocks that are compared if `one_clock`.
PointResult message_result(const SampleStudy& study, const std::string& operation = "overlap.isend",
                           std::int64_t size = 65'536, bool one_clock = true) {
    SampleStore sample({point_spec(0, operation, size)});
    if (one_clock) {
        const std::vector<journal::ClockSync> syncs{testing::sync_of(0, 0, 0, 0, 0),
                                                    testing::sync_of(0, 1, 0, 0, 0)};
        sample.store.put(sample.job, syncs);
    }
    study.put(sample, 0);
    return evaluate(sample.store, sample.store.points(sample.run).at(0));
}

TEST(MessageOverlap, FollowsTheDefinitions) {
    const auto result = message_result(SampleMessage{.tests = 8}.study());
    ASSERT_TRUE(result.overlap && result.overlap->message);
    const auto& message = *result.overlap->message;
    EXPECT_EQ(message.rank, 0);
    EXPECT_DOUBLE_EQ(message.base_ns->value, 10'000);
    EXPECT_DOUBLE_EQ(message.transfer_ns->value, 12'000);
    EXPECT_DOUBLE_EQ(message.plain.overhead_ns->value, 1'000);
    EXPECT_DOUBLE_EQ(message.plain.availability->value, 0.9);
    EXPECT_DOUBLE_EQ(message.plain.availability->ci95->low, 0.9) << "all rounds are equal";
    EXPECT_DOUBLE_EQ(message.plain.availability->ci95->high, 0.9);
    EXPECT_DOUBLE_EQ(message.knee_ns->value, 9'000);
    EXPECT_DOUBLE_EQ(message.work_alone_ns->value, 24'000);
    EXPECT_EQ(message.tests, 8);
    EXPECT_DOUBLE_EQ(message.with_tests.overhead_ns->value, 1'080);
    EXPECT_DOUBLE_EQ(message.with_tests.availability->value, 1 - 0.108);
    EXPECT_DOUBLE_EQ(message.base_threshold, 1.02);
    ASSERT_EQ(message.curve.size(), 21U);
    EXPECT_DOUBLE_EQ(message.curve[0].iteration_ns.value, 10'000);
    EXPECT_DOUBLE_EQ(message.curve[20].work_ns, 24'000);
    EXPECT_DOUBLE_EQ(message.curve[20].iteration_ns.value, 25'000);
    EXPECT_FALSE(message.against_transfer);
    EXPECT_THAT(result.overlap->reasons, IsEmpty());
    EXPECT_THAT(result.warnings, IsEmpty());
    EXPECT_EQ(result.overlap->progress, ProgressVerdict::by_itself);
}

TEST(MessageOverlap, IsAmongTheMeasuresOfThePoint) {
    const auto result = message_result(SampleMessage{}.study());
    ASSERT_EQ(result.measures.size(), 2U);
    EXPECT_EQ(result.measures[0].kind, MeasureKind::overhead_ns);
    EXPECT_DOUBLE_EQ(result.measures[0].value, 1'000);
    EXPECT_EQ(result.measures[1].kind, MeasureKind::availability);
    EXPECT_NEAR(result.measures[1].value, 0.9, 1e-9);
}

TEST(MessageOverlap, OfAReceiverIsTimedFromTheOtherRanksStart) {
    // The other rank starts 500 ns before and ends when the receiver does.
    const auto result = message_result(SampleMessage{}.study(), "overlap.irecv");
    EXPECT_DOUBLE_EQ(result.overlap->message->transfer_ns->value, 10'500);
}

TEST(MessageOverlap, IntervalsAreOrderStatisticsOverRounds) {
    SampleStudy study;
    const int hidden = study.step(journal::StepScheme::work, 0);
    const int long_work = study.step(journal::StepScheme::work, 20'000);
    const int alone = study.step(journal::StepScheme::alone, 20'000);
    for (int round = 0; round < 12; ++round) {
        for (int rep = 0; rep < 3; ++rep) {
            const std::int64_t spread = 100 * (rep - 1);  // the median of a round is exact
            study.whole(0, hidden, round, 10'000 + spread);
            study.whole(0, long_work, round, 21'000 + 10 * round + spread);
            study.whole(0, alone, round, 20'000 + spread);
            for (const int step : {hidden, long_work, alone}) {
                study.whole(1, step, round, 9'000);
            }
        }
    }
    const auto result = message_result(study);
    const auto& plain = result.overlap->message->plain;
    EXPECT_DOUBLE_EQ(plain.overhead_ns->value, 1'055);
    // Place 3.1728 of 12, and as far from the end: there the incomplete beta function is 97.5 %.
    EXPECT_NEAR(plain.overhead_ns->ci95->low, 1'021.728, 1e-3);
    EXPECT_NEAR(plain.overhead_ns->ci95->high, 1'088.272, 1e-3);
    EXPECT_NEAR(plain.availability->value, 1 - 0.1055, 1e-12);
    EXPECT_NEAR(plain.availability->ci95->low, 1 - 0.1088272, 1e-7);
}

TEST(MessageOverlap, ReadingTheClockIsSubtractedOnceFromAWhole) {
    SampleStore sample({point_spec(0, "overlap.isend", 8)});
    sample.store.put(sample.job, journal::RankInfo{.rank = 0, .host = "h", .binding = {}, .empty_ns = 30});
    sample.store.put(sample.job, journal::RankInfo{.rank = 1, .host = "h", .binding = {}, .empty_ns = 30});
    SampleMessage{}.study().put(sample, 0);
    const auto result = evaluate(sample.store, sample.store.points(sample.run).at(0));
    EXPECT_DOUBLE_EQ(result.overlap->message->base_ns->value, 9'970);
    EXPECT_DOUBLE_EQ(result.overlap->message->plain.overhead_ns->value, 1'000) << "a difference of wholes";
}

TEST(MessageOverlap, InvalidRepetitionsOnEitherRankDoNotCount) {
    auto study = SampleMessage{}.study();
    journal::StudySample wild;
    wild.step = 20;
    wild.whole = {9'000'000};
    for (int rep = 0; rep < 12 * 9; ++rep) {
        wild.round = rep % 12;
        wild.valid = true;
        study.add(0, wild);
        wild.valid = false;
        study.add(1, wild);
    }
    EXPECT_DOUBLE_EQ(message_result(study).overlap->message->plain.overhead_ns->ci95->high, 1'000);
}

TEST(MessageOverlap, WorkAloneNeedsNoPartner) {
    SampleStudy study;
    const int hidden = study.step(journal::StepScheme::work, 0);
    const int long_work = study.step(journal::StepScheme::work, 20'000);
    const int alone = study.step(journal::StepScheme::alone, 20'000);
    for (int round = 0; round < 6; ++round) {
        for (const int rank : {0, 1}) {
            study.whole(rank, hidden, round, 10'000);
            study.whole(rank, long_work, round, 21'000);
        }
        study.whole(0, alone, round, 20'000);
    }
    EXPECT_DOUBLE_EQ(message_result(study).overlap->message->plain.overhead_ns->value, 1'000);
}

TEST(MessageOverlap, NegativeOverheadIsShownAsMeasured) {
    const auto result = message_result(SampleMessage{.overhead_ns = -500}.study());
    EXPECT_DOUBLE_EQ(result.overlap->message->plain.overhead_ns->value, -500);
    EXPECT_DOUBLE_EQ(result.overlap->message->plain.availability->value, 1.05);
}

TEST(MessageOverlap, ATransferInsideWaitLeavesNothing) {
    const auto result = message_result(SampleMessage{.overhead_ns = 10'000}.study());
    EXPECT_DOUBLE_EQ(result.overlap->message->plain.availability->value, 0);
    EXPECT_EQ(result.overlap->progress, ProgressVerdict::none);
}

TEST(MessageOverlap, WithoutABaseAvailabilityIsAgainstTheTransfer) {
    const auto result = message_result(SampleMessage{.base_ns = 0, .overhead_ns = 0}.study());
    const auto& message = *result.overlap->message;
    EXPECT_TRUE(message.against_transfer);
    EXPECT_DOUBLE_EQ(message.plain.availability->value, 1);
    ASSERT_EQ(result.overlap->reasons.size(), 1U);
    EXPECT_EQ(result.overlap->reasons[0].kind, OverlapReasonKind::against_transfer);
    EXPECT_EQ(result.overlap->reasons[0].transfer_ns, 12'000);
}

TEST(MessageOverlap, ABaseBelowFourStepsOfTheClockCannotBeResolved) {
    const auto coarse =
        message_result(SampleMessage{.base_ns = 60, .overhead_ns = 60, .resolution_ns = 20}.study());
    EXPECT_TRUE(coarse.overlap->message->against_transfer);
    EXPECT_NEAR(coarse.overlap->message->plain.availability->value, 1 - 60.0 / 12'000, 1e-12);
    const auto fine =
        message_result(SampleMessage{.base_ns = 80, .overhead_ns = 60, .resolution_ns = 20}.study());
    EXPECT_FALSE(fine.overlap->message->against_transfer);
    const auto unknown =
        message_result(SampleMessage{.base_ns = 60, .overhead_ns = 60, .resolution_ns = 20}.study(),
                       "overlap.isend", 8, false);
    EXPECT_FALSE(unknown.overlap->message->plain.availability);
    EXPECT_DOUBLE_EQ(unknown.overlap->message->plain.overhead_ns->value, 60);
    EXPECT_THAT(unknown.overlap->reasons,
                ElementsAre(OverlapReason{
                    .kind = OverlapReasonKind::no_reference, .time_ns = 60, .resolution_ns = 20}));
}

TEST(MessageOverlap, AnEmptyMessageSaysWhatItsBaseIs) {
    const auto result = message_result(SampleMessage{}.study(), "overlap.isend", 0);
    EXPECT_THAT(result.overlap->reasons,
                ElementsAre(OverlapReason{.kind = OverlapReasonKind::empty_message}));
    EXPECT_TRUE(result.overlap->message->plain.availability);
}

TEST(MessageOverlap, WithoutEnoughWorkThereIsNoOverheadButAReason) {
    const auto result = message_result(SampleMessage{.last_tenth = 9}.study());
    EXPECT_FALSE(result.overlap->message->plain.overhead_ns);
    EXPECT_FALSE(result.overlap->message->plain.availability);
    EXPECT_EQ(result.overlap->message->curve.size(), 10U) << "the curve is shown all the same";
    ASSERT_EQ(result.overlap->reasons.size(), 1U);
    const auto& reason = result.overlap->reasons.front();
    EXPECT_EQ(reason.kind, OverlapReasonKind::work_limit);
    EXPECT_DOUBLE_EQ(reason.work_ns, 10'800);
    EXPECT_DOUBLE_EQ(reason.iteration_ns, 11'800);
    EXPECT_DOUBLE_EQ(reason.time_ns, 10'000);
    EXPECT_EQ(reason.transfer_ns, 12'000);
    EXPECT_EQ(result.overlap->progress, ProgressVerdict::unknown);
}

TEST(MessageOverlap, WorkThatWasNotKeptIsAWarning) {
    SampleStudy study;
    const int hidden = study.step(journal::StepScheme::work, 0);
    const int long_work = study.step(journal::StepScheme::work, 10'000);
    const int alone = study.step(journal::StepScheme::alone, 10'000);
    for (int round = 0; round < 6; ++round) {
        for (const int rank : {0, 1}) {
            study.whole(rank, hidden, round, 4'000);
            study.whole(rank, long_work, round, 11'000);
            study.whole(rank, alone, round, 10'400);
        }
    }
    study.count(0, "work_unit_before_ns", 2);
    study.count(0, "work_unit_after_ns", 2.1);
    study.count(1, "work_unit_before_ns", 2);
    study.count(1, "work_unit_after_ns", 3);
    const auto result = message_result(study);
    EXPECT_THAT(result.warnings,
                ElementsAre(::testing::Property(&PointWarning::kind, PointWarningKind::overlap),
                            ::testing::Property(&PointWarning::kind, PointWarningKind::overlap)));
    EXPECT_EQ(result.overlap->work_off, (WorkOff{.rank = 0, .requested_ns = 10'000, .took_ns = 10'400}));
    ASSERT_TRUE(result.overlap->work_drifted);
    EXPECT_EQ(result.overlap->work_drifted->rank, 0) << "the other rank does not work";
    EXPECT_NEAR(result.overlap->work_drifted->change, 0.05, 1e-9);
}

TEST(MessageOverlap, WithoutAStudyThereIsAReason) {
    SampleStore sample({point_spec(0, "overlap.isend", 8), point_spec(1, "pingpong", 8)});
    sample.put(0, {testing::block_of(0, 0, testing::samples_of({1, 2, 3, 4, 5, 6}))});
    sample.put(1, {testing::block_of(0, 0, testing::samples_of({1, 2, 3, 4, 5, 6}))});
    const auto result = evaluate(sample.store, sample.store.find_run("last"));
    EXPECT_THAT(result.points[0].overlap->reasons,
                ElementsAre(OverlapReason{.kind = OverlapReasonKind::no_study}));
    EXPECT_FALSE(result.points[1].overlap);
}

}  // namespace
}  // namespace fathom::analysis
