#include "report/sentences/run.hpp"

#include <gmock/gmock.h>

namespace fathom::report {
namespace {

TEST(WarningsOfARun, AreTheStoredOnes) {
    analysis::RunResult result;
    result.warnings = {{store::Severity::note, "virtual", "a virtual machine.", "minima"}};
    ASSERT_EQ(warnings_of(result).size(), 1U);
    EXPECT_EQ(warnings_of(result).front().code, "virtual");
}

TEST(WarningsOfARun, SayThatItsPlanCannotBeRead) {
    analysis::RunResult result;
    result.plan_error = "plan of run 1: no such setting: warp_factor.";
    const auto warnings = warnings_of(result);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].code, "unknown-plan");
    EXPECT_THAT(warnings[0].text, ::testing::HasSubstr("in the usual way: plan of run 1: "));
}

}  // namespace
}  // namespace fathom::report
