#include <gmock/gmock.h>

#include "journal/json.hpp"
#include "report/point_analyses/measured_point.hpp"
#include "report/terminals.hpp"

namespace fathom::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(TailsText, HasBothTablesAndSaysWhatIsTooFew) {
    MeasuredPoint measured({1000, 1500, 2000, 2500, 3000, 6000, 9000, 1000, 1000, 1000});
    const auto text = tails_text(measured.samples(), plain);
    EXPECT_THAT(text, HasSubstr("below 2 x min               50.00 %"));
    EXPECT_THAT(text, HasSubstr("from 2 x min to 3 x min     20.00 %"));
    EXPECT_THAT(text, HasSubstr("from 6 x min on             20.00 %"));
    EXPECT_THAT(text, HasSubstr("below mean + 1 sd"));
    EXPECT_THAT(text, HasSubstr("not enough samples for p99.9"));
    expect_narrow(text);
    const auto json = tails_json(measured.samples());
    EXPECT_EQ(json.at("by_minimum").at(1), 0.2);
    EXPECT_EQ(json.at("by_deviation").size(), 5U);
    EXPECT_TRUE(json.at("quantiles").at(2).at("value_ns").is_null());
    EXPECT_EQ(json.at("quantiles").at(2).at("name"), "p99.9");
    EXPECT_TRUE(tails_json(MeasuredPoint({0, 1}).samples()).at("by_minimum").is_null());
}

TEST(TailsText, SaysThatItIsOfAllRepetitionsWhereTheTableIsNot) {
    MeasuredPoint measured({1000, 1500, 2000, 2500, 3000, 6000, 9000, 1000, 1000, 1000});
    measured.point.reps = 7;
    EXPECT_THAT(tails_text(measured.samples(), plain), Not(HasSubstr("leaves out")));
    measured.point.set_aside = 3;
    for (const auto& text :
         {tails_text(measured.samples(), plain), distribution_text(measured.samples(), plain)}) {
        EXPECT_THAT(text, HasSubstr("Of all 10 repetitions, 3 of which the table leaves out"));
        expect_narrow(text);
    }
}

}  // namespace
}  // namespace fathom::report
