#include "report/tree_optimization.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "journal/json.hpp"
#include "report/terminals.hpp"

namespace fathom::report {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// The best of one size, and the same as the only trial: known from 1.8 to 2.4 us, without an interval.
tree::Optimization without_interval() {
    const tree::RoundTime time{.name = "chain",
                               .size = {8},
                               .median_ns = 2'000,
                               .range_ns = stats::Interval{1'800, 2'400},
                               .reliable = false};
    tree::Optimization found;
    found.best = {{.size = {8}, .best = time}};
    found.trials = {{.run = 1,
                     .name = "chain",
                     .size = {8},
                     .predicted_ns = {},
                     .measured_ns = 2'000,
                     .reliable = false,
                     .accepted = true}};
    return found;
}

TEST(TreeOptimization, DoesNotCallARangeOfTimesAnInterval) {
    const auto found = without_interval();
    const auto text = tree_optimization_text(found, plain, true);
    EXPECT_THAT(text, ContainsRegex("~2.00 us +none"));
    EXPECT_THAT(text, Not(HasSubstr("2.40")));
    EXPECT_THAT(text, HasSubstr("\n~ unreliable: disturbed, or interval wide or missing\n"));
    const auto json = tree_optimization_json(found);
    EXPECT_TRUE(json.at("best").at(0).at("median_ci95_ns").is_null());
    EXPECT_EQ(json.at("best").at(0).at("reliable"), false);
    EXPECT_TRUE(json.at("trials").at(0).at("measured_ci95_ns").is_null());
}

TEST(TreeOptimization, MarksNothingThatIsReliable) {
    auto found = without_interval();
    found.best[0].best.reliable = found.trials[0].reliable = true;
    found.best[0].best.ci95_ns = found.trials[0].ci95_ns = stats::Interval{1'900, 2'100};
    const auto text = tree_optimization_text(found, plain, true);
    EXPECT_THAT(text, HasSubstr("2.00 us  1.90 .. 2.10 us"));
    EXPECT_THAT(text, Not(HasSubstr("~")));
}

}  // namespace
}  // namespace fathom::report
