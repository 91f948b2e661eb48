#include "report/sentences/insights.hpp"

#include <gmock/gmock.h>

namespace fathom::report {
namespace {

using ::testing::HasSubstr;

analysis::Insight about(analysis::InsightFacts facts, std::size_t more = 0) {
    return {.key = {.operation = "bcast", .procs = 8, .size = {65'536}},
            .sized = true,
            .weight = 2,
            .more = more,
            .facts = std::move(facts)};
}

TEST(InsightSentence, SaysHowLongATailIs) {
    EXPECT_EQ(
        sentence(about(analysis::LongTail{.p99_ns = 10'000, .median_ns = 1'000})),
        "bcast, 64 KiB, 8 processes: one repetition in 100 takes 10.0 us or more, 10.0 times the median of "
        "1.00 us");
}

TEST(InsightSentence, SaysHowManyFailedAndWhyTheFirst) {
    EXPECT_EQ(sentence(about(analysis::FailedPoints{.failed = 1, .of = 2, .reason = "wrong data"})),
              "1 of 2 points failed, first bcast, 64 KiB, 8 processes: wrong data");
}

TEST(InsightSentence, SaysTwoModesWithTheirShares) {
    EXPECT_EQ(sentence(about(analysis::TwoModes{.fast = {.at_ns = 1'000, .share = 0.7},
                                                .slow = {.at_ns = 3'000, .share = 0.3}})),
              "bcast, 64 KiB, 8 processes takes 1.00 us in 70 % of the repetitions and 3.00 us in 30 %: two "
              "code paths, or two states of the machine");
}

TEST(InsightSentence, SaysHowMuchOfARunWasDisturbed) {
    const auto disturbed = about(analysis::DisturbedPoints{.disturbed = 3, .of = 8});
    EXPECT_EQ(sentence(disturbed), "Other programs used the processors while 3 of 8 points were measured");
    EXPECT_THAT(fix_of(disturbed), HasSubstr("whole nodes"));
}

TEST(InsightSentence, CountsTheOthersLikeIt) {
    const auto several = about(analysis::LongTail{.p99_ns = 10'000, .median_ns = 1'000}, 2);
    EXPECT_THAT(sentence(several), HasSubstr("of 1.00 us (and 2 more like this)"));
    EXPECT_EQ(fix_of(several), "");
}

TEST(InsightSentence, HasAFixByTheCause) {
    analysis::SlowRepetitions slow;
    slow.cause.kind = analysis::CauseKind::migration;
    EXPECT_THAT(fix_of(about(slow)), HasSubstr("--bind core"));
    slow.cause.kind = analysis::CauseKind::preempted;
    EXPECT_THAT(fix_of(about(slow)), HasSubstr("fathom doctor"));
    slow.cause.kind = analysis::CauseKind::page_fault;
    EXPECT_EQ(fix_of(about(slow)), "");
    slow.cause.major = true;
    EXPECT_THAT(fix_of(about(slow)), HasSubstr("free memory"));
    EXPECT_THAT(fix_of(about(analysis::Timeouts{})), HasSubstr("drops packets"));
}

}  // namespace
}  // namespace fathom::report
