#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/run/run_result.hpp"
#include "store/sample_study.hpp"

namespace fathom::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::point_spec;
using testing::SampleStore;
using testing::SampleStudy;

/// A collective of two ranks, of which the second one is the faster: every figure is known. Rank r takes
/// 10 us - r us at once; its calls take `calls_ns` - 100 r while there is work.
struct Collective {
    std::int64_t calls_ns = 2'000;   ///< of rank 0, without tests
    std::int64_t tested_ns = 2'000;  ///< the same with 2 tests; with 5 they take 500 more
    std::int64_t stolen_ns = 0;      ///< of rank 0's work, in every third round
    int rounds = 12;

    [[nodiscard]] SampleStudy study() const {
        constexpr std::int64_t t_b = 10'000;
        SampleStudy study;
        const int at_once = study.step(journal::StepScheme::at_once, 0);
        const int timed = study.step(journal::StepScheme::time, t_b);
        const int worked = study.step(journal::StepScheme::work, t_b);
        const int alone = study.step(journal::StepScheme::alone, t_b);
        const int timed_2 = study.step(journal::StepScheme::time, t_b, 2, 4096);
        const int worked_2 = study.step(journal::StepScheme::work, t_b, 2, 4096);
        const int timed_5 = study.step(journal::StepScheme::time, t_b, 5, 1024);
        const int worked_5 = study.step(journal::StepScheme::work, t_b, 5, 1024);
        for (int round = 0; round < rounds; ++round) {
            for (const int rank : {0, 1}) {
                const auto stolen = rank == 0 && round % 3 == 0 ? stolen_ns : 0;
                const auto plain = calls_ns - 100 * rank;
                const auto tested = tested_ns - 100 * rank;
                study.whole(rank, at_once, round, t_b - 1'000 * rank);
                study.parts(rank, timed, round, 500, plain - 500);
                study.whole(rank, worked, round, t_b + plain + stolen);
                study.whole(rank, alone, round, t_b);
                study.parts(rank, timed_2, round, 500, tested - 600, 100, 2);
                study.whole(rank, worked_2, round, t_b + tested);
                study.parts(rank, timed_5, round, 500, tested - 200, 200, 5);
                study.whole(rank, worked_5, round, t_b + tested + 500);
            }
        }
        study.count(0, "resolution_ns", 1);
        return study;
    }
};

PointResult collective_result(const SampleStudy& study, std::int64_t empty_ns = 0) {
    SampleStore sample({point_spec(0, "overlap.iallreduce", 8192)});
    for (const int rank : {0, 1}) {
        sample.store.put(sample.job,
                         journal::RankInfo{.rank = rank, .host = "h", .binding = {}, .empty_ns = empty_ns});
    }
    study.put(sample, 0);
    return evaluate(sample.store, sample.store.points(sample.run).at(0));
}

TEST(CollectiveOverlap, FollowsTheDefinitionsOverall) {
    const auto result = collective_result(Collective{}.study());
    ASSERT_TRUE(result.overlap && result.overlap->collective);
    const auto& collective = *result.overlap->collective;
    EXPECT_DOUBLE_EQ(collective.t_b_ns->value, 10'000) << "the largest over ranks";
    const auto& plain = collective.plain;
    EXPECT_DOUBLE_EQ(plain.time_based.overhead_ns->value, 2'000);
    EXPECT_DOUBLE_EQ(plain.time_based.availability->value, 0.8);
    EXPECT_DOUBLE_EQ(plain.work_based.overhead_ns->value, 2'000);
    EXPECT_DOUBLE_EQ(plain.work_based.availability->value, 0.8);
    EXPECT_DOUBLE_EQ(plain.difference_ns->value, 0);
    EXPECT_DOUBLE_EQ(plain.stolen_share->value, 0);
    EXPECT_THAT(result.overlap->reasons, IsEmpty());
    EXPECT_THAT(result.warnings, IsEmpty());
    EXPECT_EQ(result.overlap->progress, ProgressVerdict::by_itself);
}

TEST(CollectiveOverlap, EveryRankHasItsOwnFigures) {
    const auto result = collective_result(Collective{}.study());
    const auto& ranks = result.overlap->collective->ranks;
    ASSERT_EQ(ranks.size(), 2U);
    EXPECT_EQ(ranks[1].rank, 1);
    EXPECT_DOUBLE_EQ(ranks[1].own_time_ns->value, 9'000);
    EXPECT_DOUBLE_EQ(ranks[1].time_based_overhead_ns->value, 1'900);
    EXPECT_DOUBLE_EQ(ranks[1].work_based_overhead_ns->value, 1'900);
    EXPECT_DOUBLE_EQ(ranks[1].availability->value, 1 - 0.19);
    // (9000 + 10000 - 11900) / min(9000, 10000)
    EXPECT_DOUBLE_EQ(ranks[1].overlap_share->value, 7'100.0 / 9'000);
    EXPECT_DOUBLE_EQ(ranks[0].overlap_share->value, 0.8);
}

TEST(CollectiveOverlap, TheShareIsOfTheShorterOfCallAndWork) {
    SampleStudy study;
    const int at_once = study.step(journal::StepScheme::at_once, 0);
    const int timed = study.step(journal::StepScheme::time, 6'000);
    const int worked = study.step(journal::StepScheme::work, 6'000);
    const int alone = study.step(journal::StepScheme::alone, 6'000);
    for (int round = 0; round < 6; ++round) {
        study.whole(0, at_once, round, 10'000);
        study.parts(0, timed, round, 500, 5'000);
        study.whole(0, worked, round, 13'000);
        study.whole(0, alone, round, 6'000);
    }
    // (10000 + 6000 - 13000) / min(10000, 6000)
    EXPECT_DOUBLE_EQ(collective_result(study).overlap->collective->ranks[0].overlap_share->value, 0.5);
}

TEST(CollectiveOverlap, TheBestIntervalHasTheLeastOverhead) {
    const auto result = collective_result(Collective{.calls_ns = 9'800, .tested_ns = 1'500}.study());
    const auto& collective = *result.overlap->collective;
    ASSERT_EQ(collective.intervals.size(), 2U);
    EXPECT_EQ(collective.intervals[0].interval_bytes, 4096);
    EXPECT_DOUBLE_EQ(collective.intervals[0].work_based.overhead_ns->value, 1'500);
    EXPECT_DOUBLE_EQ(collective.intervals[0].time_based.overhead_ns->value, 1'500);
    EXPECT_DOUBLE_EQ(collective.intervals[1].work_based.overhead_ns->value, 2'000);
    EXPECT_EQ(collective.best, 0U);
    EXPECT_EQ(result.overlap->best_tests(), 2);
    EXPECT_EQ(result.overlap->progress, ProgressVerdict::needs_calls);
    EXPECT_TRUE(result.overlap->tests_help);
}

TEST(CollectiveOverlap, TestsThatGainNextToNothingAreNotWhatItNeeds) {
    const auto result = collective_result(Collective{.calls_ns = 9'900, .tested_ns = 9'700}.study());
    EXPECT_EQ(result.overlap->progress, ProgressVerdict::none);
    EXPECT_FALSE(result.overlap->tests_help);
}

TEST(CollectiveOverlap, OverlapsInPartBelowAHalf) {
    const auto result = collective_result(Collective{.calls_ns = 8'000, .tested_ns = 8'000}.study());
    EXPECT_EQ(result.overlap->progress, ProgressVerdict::in_part);
}

TEST(CollectiveOverlap, AThiefIsInvisibleToTimesOfCallsAndFoundByWork) {
    // 4 of 12 rounds lose 3 us of rank 0's work: medians hide it, means do not.
    const auto result = collective_result(Collective{.stolen_ns = 3'000}.study());
    const auto& collective = *result.overlap->collective;
    EXPECT_DOUBLE_EQ(collective.plain.time_based.overhead_ns->value, 2'000);
    EXPECT_DOUBLE_EQ(collective.plain.difference_ns->value, 0);
    EXPECT_NEAR(collective.plain.stolen_share->value, 1'000.0 / 13'000, 1e-12);
    EXPECT_LT(collective.plain.stolen_share->ci95->low, 1'000.0 / 13'000);
    EXPECT_NEAR(collective.ranks[0].stolen_share->value, 1'000.0 / 13'000, 1e-12);
    EXPECT_DOUBLE_EQ(collective.ranks[1].stolen_share->value, 0);
}

TEST(CollectiveOverlap, ReadingTheClockIsSubtractedFromEveryTimedPart) {
    const auto result = collective_result(Collective{}.study(), 20);
    const auto& collective = *result.overlap->collective;
    EXPECT_DOUBLE_EQ(collective.t_b_ns->value, 9'980);
    EXPECT_DOUBLE_EQ(collective.plain.time_based.overhead_ns->value, 2'000 - 2 * 20) << "post and wait";
    EXPECT_DOUBLE_EQ(collective.plain.work_based.overhead_ns->value, 2'000 - 20) << "one whole";
    EXPECT_DOUBLE_EQ(collective.intervals[0].time_based.overhead_ns->value, 2'000 - 4 * 20)
        << "post, wait and two tests";
}

TEST(CollectiveOverlap, SlowerThanOneAfterTheOtherIsShownAsMeasured) {
    const auto result = collective_result(Collective{.calls_ns = 12'000, .tested_ns = 12'000}.study());
    const auto& collective = *result.overlap->collective;
    EXPECT_DOUBLE_EQ(collective.plain.work_based.availability->value, -0.2);
    EXPECT_DOUBLE_EQ(collective.ranks[0].overlap_share->value, -0.2);
    EXPECT_EQ(result.overlap->progress, ProgressVerdict::none);
}

TEST(CollectiveOverlap, TooFewRoundsDecideNothing) {
    const auto result = collective_result(Collective{.rounds = 3}.study());
    EXPECT_EQ(result.overlap->progress, ProgressVerdict::undecided);
}

TEST(CollectiveOverlap, WithoutAllStepsThereIsAReason) {
    SampleStudy study;
    const int at_once = study.step(journal::StepScheme::at_once, 0);
    study.whole(0, at_once, 0, 1'000);
    EXPECT_THAT(collective_result(study).overlap->reasons,
                ElementsAre(OverlapReason{.kind = OverlapReasonKind::incomplete}));
}

}  // namespace
}  // namespace fathom::analysis
