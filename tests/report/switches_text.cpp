#include "report/switches_text.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "journal/json.hpp"
#include "report/terminals.hpp"

namespace fathom::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

analysis::FoundSwitch found_at(std::int64_t below, std::int64_t above) {
    analysis::FoundSwitch at;
    at.key = {.operation = "pingpong", .pattern = "first-last", .procs = 2, .size = {}};
    at.found = {.last_below = below, .first_above = above, .before = 1'000, .after = 1'500, .jump = true};
    return at;
}

TEST(SwitchesText, HasExactSizes) {
    const auto text = switches_text({found_at(8'253, 8'254), found_at(65'536, 65'600)}, plain);
    EXPECT_EQ(text,
              "switch in              last below  first above    below    above   change  kind\n"
              "pingpong, 2 processes      8253 B       8254 B  1.00 us  1.50 us  +50.0 %  jump\n"
              "pingpong, 2 processes     65536 B      65600 B  1.00 us  1.50 us  +50.0 %  jump\n"
              "(Between two sizes that are not neighbours, a switch may lie anywhere.)\n\n");
    EXPECT_THAT(switches_text({found_at(8'253, 8'254)}, plain), Not(HasSubstr("anywhere")));
    EXPECT_EQ(switches_text({}, plain), "");
}

TEST(CutSearchSentence, SaysWhatErrorRemains) {
    plan::Plan plan;
    plan.max_points = 11;
    analysis::CutSearch cut{.key = {.operation = "bcast", .pattern = "all", .procs = 4, .size = {}},
                            .points = 11,
                            .coarse = analysis::CutSearch::Gap{.error = 0.123, .from = 8'192, .to = 16'384}};
    EXPECT_EQ(
        cut_search_sentence(cut, plan),
        "bcast, 4 processes: the search ended at --max-points 11 (11 points); interpolation between 8192 "
        "and 16384 B is off by up to 12.3 % of the time, the goal was 5 %");
    EXPECT_EQ(cut_searches_json({cut}).at(0).at("interpolation").at("from"), 8'192);
    EXPECT_TRUE(cut_searches_json({cut}).at(0).at("size_bytes").is_null());
    cut.coarse->error = HUGE_VAL;
    cut.switches_open = true;
    EXPECT_THAT(cut_search_sentence(cut, plan), HasSubstr("has no bound on its error"));
    EXPECT_THAT(cut_search_sentence(cut, plan), HasSubstr("switches may be missing"));
    EXPECT_TRUE(cut_searches_json({cut}).at(0).at("interpolation").at("error").is_null());
    const analysis::CutSearch few{.key = cut.key, .points = 7, .at_limit = false, .too_few_reps = 2};
    EXPECT_EQ(cut_search_sentence(few, plan),
              "bcast, 4 processes: the search ended early (7 points); 2 of them were ignored (fewer than 6 "
              "repetitions)");
    EXPECT_EQ(cut_searches_json({few}).at(0).at("too_few_reps"), 2);
}

}  // namespace
}  // namespace fathom::report
