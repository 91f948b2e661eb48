#include <set>

#include <gmock/gmock.h>

#include "journal/json.hpp"
#include "report/point_analyses/measured_point.hpp"
#include "report/terminals.hpp"

namespace fathom::report {
namespace {

using ::testing::HasSubstr;

const Choice all = [](const auto& /*row*/) { return true; };

TEST(PointAnalyses, HaveOptionsAndFieldsOfTheirOwn) {
    std::set<std::string> names;
    for (const auto& row : point_analyses()) {
        EXPECT_TRUE(names.insert(row.option).second) << row.option;
        EXPECT_TRUE(names.insert(row.field).second) << row.field;
    }
}

TEST(PointAnalyses, SayWhatWasChosenInTheirOrder) {
    MeasuredPoint measured({10, 20, 30});
    measured.repetitions.by_rank = {{0, {10, 20, 30}}, {1, {1, 2, 3}}};
    const auto json = analyses_json(measured.samples(), all);
    ASSERT_EQ(json.size(), point_analyses().size());
    for (const auto& row : point_analyses()) {
        const auto one = [&](const auto& other) { return other.option == row.option; };
        const auto alone = analyses_json(measured.samples(), one);
        ASSERT_EQ(alone.size(), 1U);
        EXPECT_EQ(alone.at(row.field), json.at(row.field));
        EXPECT_THAT(analyses_text(measured.samples(), {all}, plain),
                    HasSubstr(row.text(measured.samples(), plain, {all})));
    }
}

TEST(PointAnalyses, OfAPointWithoutTimesAreNone) {
    MeasuredPoint measured({});
    EXPECT_TRUE(analyses_json(measured.samples(), all).empty());
    EXPECT_EQ(analyses_text(measured.samples(), {all}, plain), "");
}

}  // namespace
}  // namespace fathom::report
