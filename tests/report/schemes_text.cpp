#include "report/schemes_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "journal/json.hpp"
#include "report/terminals.hpp"

namespace fathom::report {
namespace {

using analysis::SchemeChange;
using ::testing::HasSubstr;

analysis::SchemeComparison compared() {
    analysis::SchemeComparison comparison;
    comparison.key = {.operation = "bcast", .pattern = "all", .procs = 4, .size = {8}};
    comparison.own_ns = {.value = 10'004, .ci95 = {}};
    analysis::SchemeResult result;
    result.scheme = "as-pmb";
    result.over_ranks = plan::OverRanks::root;
    result.over_reps = "mean";
    result.value_ns = {.value = 4'207, .ci95 = {}};
    result.effects = {{SchemeChange::over_reps, 104, 300},
                      {SchemeChange::in_a_row, -6'204, 104},
                      {SchemeChange::root_rotation, 303, 11}};
    result.reasons = {{SchemeChange::in_a_row, -6'204, 104}, {SchemeChange::root_rotation, 303, 11}};
    result.remainder_ns = 104;
    result.remainder_unsure_ns = 300;
    comparison.schemes.push_back(result);
    return comparison;
}

TEST(SchemesText, HasALineForEachReasonAndOneForTheRemainderThatAddUpAsPrinted) {
    const auto text = schemes_text({compared()}, plain);
    EXPECT_THAT(text, HasSubstr("fathom  10.00 us         1.00"));
    EXPECT_THAT(text, HasSubstr("as-pmb   4.21 us         0.42    -5.79 us     -  pipelining"));
    EXPECT_THAT(text, HasSubstr("-6.20 us  +/- 0.10 us\n"));
    EXPECT_THAT(text, HasSubstr("+0.30 us  +/- 0.01 us\n"));
    // -5.79 + 6.20 - 0.30: what is printed adds up, although 104 ns alone would round to 0.10.
    EXPECT_THAT(text, HasSubstr("+0.11 us  +/- 0.30 us\n"));
    EXPECT_THAT(text, HasSubstr(" remainder "));
}

TEST(SchemesText, SaysWhereNothingIsBeyondNoise) {
    auto comparison = compared();
    auto& result = comparison.schemes.front();
    result.value_ns.value = 10'054;
    result.effects = {{SchemeChange::over_reps, 50, 300}};
    result.reasons.clear();
    EXPECT_THAT(schemes_text({comparison}, plain),
                HasSubstr("nothing beyond noise  +0.05 us  +/- 0.30 us\n"));
}

TEST(SchemesText, SaysWhereADisturbanceHidesTheReasons) {
    auto comparison = compared();
    comparison.own_quality = analysis::Quality::disturbed;
    auto& result = comparison.schemes.front();
    result.reasons.clear();
    result.disturbed = true;
    const auto text = schemes_text({comparison}, plain);
    EXPECT_THAT(text, HasSubstr("fathom  ~10.00 us"));
    EXPECT_THAT(text, HasSubstr("unknown: ranks were preempted"));
}

TEST(SchemesText, NamesThePairs) {
    auto comparison = compared();
    comparison.key.operation = "pingpong";
    comparison.pair = "0-31";
    auto& result = comparison.schemes.front();
    result.pair = "0-1";
    result.reasons = {{SchemeChange::pair, -5'797, 0}};
    const auto text = schemes_text({comparison}, plain);
    EXPECT_THAT(text, HasSubstr("(median of single calls between ranks 0-31)"));
    EXPECT_THAT(text, HasSubstr("ranks 0-1 instead of 0-31"));
    const auto json = schemes_json({comparison}).at(0);
    EXPECT_EQ(json.at("pair"), "0-31");
    EXPECT_EQ(json.at("schemes").at(0).at("pair"), "0-1");
}

TEST(SchemesJson, HasAllEffectsAndTheRemainder) {
    const auto row = schemes_json({compared()}).at(0).at("schemes").at(0);
    EXPECT_EQ(row.at("difference_ns"), -5'797);
    EXPECT_EQ(row.at("remainder_ns"), 104);
    EXPECT_EQ(row.at("remainder_unsure_ns"), 300);
    ASSERT_EQ(row.at("effects").size(), 3U);
    EXPECT_EQ(row.at("effects").at(0).at("effect"), "mean of repetitions");
    EXPECT_EQ(row.at("effects").at(0).at("reason"), false);
    EXPECT_EQ(row.at("effects").at(1).at("effect"), "pipelining");
    EXPECT_EQ(row.at("effects").at(1).at("reason"), true);
}

}  // namespace
}  // namespace fathom::report
