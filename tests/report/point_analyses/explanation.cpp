#include <gmock/gmock.h>

#include "report/point_analyses/measured_point.hpp"
#include "report/terminals.hpp"

namespace fathom::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ExplanationText, HasTheTimeoutsUnlessTheyArePrintedAnyway) {
    MeasuredPoint measured({10, 20, 30});
    const auto samples = measured.samples();
    EXPECT_THAT(explanation_text(samples, plain), Not(HasSubstr("timeout")));
    measured.point.analyses.timeouts.status = analysis::TimeoutStatus::found;
    measured.point.analyses.timeouts.certain = true;
    measured.point.analyses.timeouts.counted = 44;
    EXPECT_THAT(explanation_text(samples, plain), HasSubstr("The kernel counted 44 timeouts"));
    const auto all = [](const PointAnalysis& /*row*/) { return true; };
    EXPECT_THAT(explanation_text(samples, plain, {all}), Not(HasSubstr("44 timeouts")));
}

}  // namespace
}  // namespace fathom::report
