#include "report/tuning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "journal/json.hpp"

namespace fathom::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

tune::ProofPoint slower(bool ruled) {
    return {.operation = "bcast",
            .procs = 8,
            .size = {92},
            .ruled = ruled,
            .before_ns = 1000,
            .before_range_ns = {999, 1001},
            .after_ns = 1030,
            .after_range_ns = {1029, 1031},
            .before_ci95_ns = stats::Interval{999, 1001},
            .after_ci95_ns = stats::Interval{1029, 1031}};
}

TEST(ProofText, CallsNoRangeOfTimesAnInterval) {
    auto point = slower(true);
    EXPECT_THAT(proof_text({point}, Terminal{}), HasSubstr("0.97 (0.97 .. 0.97)"));
    EXPECT_EQ(proof_point_json(point).at("speedup_ci95").size(), 2U);
    point.after_ci95_ns.reset();
    EXPECT_THAT(proof_text({point}, Terminal{}), HasSubstr("~0.97 (none)"));
    const auto json = proof_point_json(point);
    for (const auto* name : {"after_ci95_ns", "speedup_ci95", "ratio_ci95"}) {
        EXPECT_TRUE(json.at(name).is_null()) << name;
    }
    EXPECT_FALSE(json.at("before_ci95_ns").is_null());
}

std::string text_of(const tune::Tuning& tuning) {
    return files_text(tuning, "", "t.tuning.json", Terminal{});
}

TEST(TuningText, SaysWhyTheSearchWasNotFinished) {
    tune::Tuning tuning;
    tuning.operations = {
        {.operation = "bcast", .procs = 8, .ways = {"library", "library:ring"}, .race = {}, .proposals = {}}};
    auto& race = tuning.operations[0].race;
    EXPECT_THAT(tuning_text(tuning, Terminal{}, false), Not(HasSubstr("The search ended")));
    race.finished = false;
    EXPECT_THAT(tuning_text(tuning, Terminal{}, false),
                HasSubstr("The search ended before it was finished."));
    race.broken = {0};
    EXPECT_THAT(tuning_text(tuning, Terminal{}, false), HasSubstr("decision, which failed."));
}

TEST(FilesText, SaysWhatWasTakenOutAndWhatWasGivenUp) {
    tune::Tuning tuning;
    tuning.taken_out = {slower(true)};
    EXPECT_THAT(text_of(tuning),
                HasSubstr("Taken out: bcast, 8 processes, 92 B, which was 3.0 % slower with its rule."));
    tuning.taken_out = {slower(false)};
    const auto text = text_of(tuning);
    EXPECT_THAT(text, HasSubstr("Given up: the rules for bcast with 8 processes. 92 B, which has none,"));
    EXPECT_THAT(text, Not(HasSubstr("Taken out")));
    EXPECT_THAT(text, HasSubstr("No file for the library: nothing is proposed."));
}

TEST(FilesText, NamesSizesThatTheFilesMakeSlowerWithoutARule) {
    tune::Tuning tuning;
    tuning.files = {{.path = "t.rules", .text = "# rules"}};
    tuning.variables = {{"NAME", "t.rules"}};
    tuning.proof = {slower(false)};
    const auto text = text_of(tuning);
    EXPECT_THAT(text, HasSubstr("Slower although the files have no rule for it"));
    EXPECT_THAT(text, HasSubstr("export NAME=t.rules"));
}

}  // namespace
}  // namespace fathom::report
