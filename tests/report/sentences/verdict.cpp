#include "report/sentences/verdict.hpp"

#include <gmock/gmock.h>

namespace fathom::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(VerdictSentences, SayWhatIsAgainstTheMachine) {
    analysis::SlowComponent slow;
    slow.hosts = {"h3"};
    const analysis::Verdict verdict{
        .accepted = false,
        .reasons = {slow,
                    analysis::FailedPoint{.key = {.operation = "bcast", .procs = 4, .size = {8}},
                                          .reason = "wrong data"},
                    analysis::NothingMeasured{}, analysis::ClocksExceeded{.after_ns = 1'000'000'000}},
        .remarks = {}};
    EXPECT_THAT(verdict_reasons(verdict),
                ElementsAre(StartsWith("host h3: "), "bcast, 8 B, 4 processes failed: wrong data",
                            "no point was measured",
                            "1.00 s after they were synchronised, the clocks exceeded their error bounds"));
    EXPECT_THAT(verdict_remarks(verdict), ElementsAre());
}

TEST(VerdictSentences, SayWhatKeepsItFromBeingDecided) {
    const analysis::Verdict verdict{
        .accepted = false, .decided = false, .reasons = {analysis::MatrixLimit::disturbed}, .remarks = {}};
    EXPECT_THAT(verdict_reasons(verdict),
                ElementsAre(HasSubstr("disturbed by other programs most of the time")));
}

TEST(VerdictSentences, SayWhatMakesItLessCertain) {
    const analysis::Verdict verdict{
        .accepted = true,
        .reasons = {},
        .remarks = {analysis::MatrixLimit::two_hosts, analysis::DisturbedPoints{.disturbed = 1, .of = 3}}};
    EXPECT_THAT(verdict_remarks(verdict),
                ElementsAre(HasSubstr("only two hosts"), HasSubstr("while 1 of 3 points were measured")));
}

}  // namespace
}  // namespace fathom::report
