#include "report/curves.hpp"

#include <cmath>

#include <gmock/gmock.h>

namespace fathom::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

analysis::RunResult run_of(int operations, int sizes) {
    analysis::RunResult result;
    for (int operation = 0; operation < operations; ++operation) {
        for (int power = 0; power < sizes; ++power) {
            analysis::PointResult point;
            point.key.operation = "bcast";
            point.key.procs = 2 + operation;
            point.key.size = {std::int64_t{1} << (10 * power)};
            point.value_ns = stats::Reduced{.value = std::pow(10.0, 3 + power), .ci95 = {}};
            result.points.push_back(point);
        }
    }
    return result;
}

TEST(Curves, AreDrawnWithTheirEndsNamed) {
    const auto text = curves_text(run_of(1, 4));
    EXPECT_THAT(text, HasSubstr("\nbcast, 2 processes: time against bytes, both logarithmic\n"));
    EXPECT_THAT(text, HasSubstr("1.00 ms |"));
    EXPECT_THAT(text, HasSubstr("1.00 us |*"));
    EXPECT_THAT(text, HasSubstr("1 B"));
    EXPECT_THAT(text, HasSubstr("1 GiB"));
}

TEST(Curves, OfFewSizesAreNotWorthAPicture) {
    EXPECT_EQ(curves_text(run_of(1, 3)), "\nNothing to draw: a curve needs times at 4 sizes or more.\n");
}

TEST(Curves, OfManyOperationsAreNotAllDrawn) {
    EXPECT_THAT(curves_text(run_of(3, 4)), HasSubstr("4 processes: time"));
    EXPECT_THAT(curves_text(run_of(3, 4)), Not(HasSubstr("not drawn")));
    EXPECT_THAT(curves_text(run_of(5, 4)), HasSubstr("2 more curves are not drawn here"));
}

TEST(Curves, LeaveOutPointsWithoutATime) {
    auto result = run_of(1, 5);
    result.points[4].value_ns.reset();
    EXPECT_THAT(curves_text(result), Not(HasSubstr("1 TiB")));
    result.points[3].value_ns.reset();
    EXPECT_THAT(curves_text(result), HasSubstr("Nothing to draw"));
}

}  // namespace
}  // namespace fathom::report
