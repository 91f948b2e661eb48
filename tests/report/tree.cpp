#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/text.hpp"
#include "journal/json.hpp"
#include "report/tree_analysis_json.hpp"
#include "report/tree_svg.hpp"
#include "report/tree_text.hpp"
#include "report/tree_trace.hpp"
#include "tree/analysis/synthetic_tree.hpp"

namespace fathom::report {
namespace {

using ::testing::HasSubstr;
using tree::NodeIndex;
using tree::StageTimes;

/// A program on two hosts of 3 whose last rank has more work.
struct Traced {
    NodeIndex index{tree::two_level_tree(2, 3)};
    tree::TracedCalls calls = tree::calls_in_a_row(
        index, 100, [](std::size_t) { return tree::StageSettings{}; },
        [](int leaf, std::size_t) { return leaf == 5 ? 50'000 : 10'000; });
    StageTimes times{index, calls};
    tree::TreeAnalysis analysis = tree::analyse(times);
};

TEST(TreeJson, HasTheShapeThatScriptsRelyOn) {
    const Traced traced;
    const auto json = tree_analysis_json(traced.analysis);
    ASSERT_EQ(json["edges"].size(), 8U);
    EXPECT_EQ(json["edges"][0]["rank"], 0);
    EXPECT_EQ(json["edges"][0]["two_way_ns"], 2'300);
    EXPECT_EQ(json["edges"][0]["kind"], "message");
    ASSERT_EQ(json["joins"].size(), 3U);
    const auto& join = json["joins"][2];
    EXPECT_EQ(join["join"], "host1");
    EXPECT_EQ(join["down_ns"], 70);
    EXPECT_EQ(join["up_ns"], 50);
    ASSERT_EQ(join["contributors"].size(), 3U);
    EXPECT_EQ(join["contributors"][2]["rank"], 5);
    EXPECT_EQ(join["contributors"][2]["last_arrivals"], 100);
    EXPECT_EQ(join["contributors"][2]["arrival_wait_ns"], 0);
    EXPECT_EQ(join["contributors"][2]["departure_wait_ns"], 40);
    ASSERT_EQ(json["late"].size(), 1U);
    EXPECT_EQ(json["late"][0]["rank"], 5);
    EXPECT_GT(json["late"][0]["share"].get<double>(), 0.9);
    EXPECT_EQ(json["advice"][0]["kind"], "program-imbalance");
    EXPECT_EQ(json["calls"], 100);
    EXPECT_EQ(json["complete_calls"], 100);
}

TEST(TreeText, BeginsWithWhatMatters) {
    const Traced traced;
    const auto text = tree_analysis_text(traced.analysis, {}, false);
    EXPECT_THAT(text, HasSubstr("100 calls traced; the tree takes"));
    EXPECT_THAT(text, HasSubstr("Rank 5 enters calls late"));
    EXPECT_THAT(text, HasSubstr("Tuning the tree will not help"));
    EXPECT_LT(text.find("What to change"), text.find("Critical path"));
    EXPECT_THAT(text, HasSubstr("edge from rank 5 to join host1"));
    EXPECT_THAT(text, HasSubstr("Store at the root: 11 ns"));
}

TEST(TreeText, CutsLongTablesUnlessAllIsWanted) {
    const NodeIndex index(tree::flat_tree(40));
    const auto calls = tree::simultaneous_calls(index, 10, {});
    const StageTimes times(index, calls);
    const auto analysis = tree::analyse(times);
    EXPECT_THAT(tree_analysis_text(analysis, {}, false), HasSubstr("28 more with --all."));
    EXPECT_THAT(tree_analysis_text(analysis, {}, true), ::testing::Not(HasSubstr("more with --all")));
}

TEST(TreeText, SaysThatNothingWasTraced) {
    const NodeIndex index(tree::flat_tree(2));
    const tree::TracedCalls none;
    const StageTimes times(index, none);
    EXPECT_EQ(tree_analysis_text(tree::analyse(times), {}, false), "No call was traced.\n");
}

TEST(TreeSvg, HasALineForEveryLeafInBothTimemaps) {
    const Traced traced;
    const auto svg = tree_analysis_svg(traced.analysis, "allreduce <8 B>");
    EXPECT_THAT(svg, ::testing::StartsWith("<svg xmlns="));
    EXPECT_THAT(svg, HasSubstr("allreduce &lt;8 B&gt;"));
    std::size_t lines = 0;
    for (auto at = svg.find("<polyline"); at != std::string::npos; at = svg.find("<polyline", at + 1)) {
        ++lines;
    }
    EXPECT_EQ(lines, 6U + 6U + 3U) << "and one for the departures of each join";
    EXPECT_EQ(std::ranges::count(svg, '<'), std::ranges::count(svg, '>'));
}

TEST(TreeSvg, ScalesTwoTreesToTheSameHeight) {
    const Traced traced;
    const NodeIndex flat(tree::flat_tree(6));
    const auto calls = tree::simultaneous_calls(flat, 10, {});
    const StageTimes times(flat, calls);
    const auto other = tree::analyse(times);
    const auto svg = compared_trees_svg(
        {.first = "two-level", .second = "flat"},
        {{.title = "allreduce, 8 B", .first = traced.analysis, .second = other}}, "both <trees>");
    EXPECT_THAT(svg, HasSubstr("both &lt;trees&gt;"));
    EXPECT_THAT(svg, HasSubstr("allreduce, 8 B: timemaps without arrival waits"));
    for (const auto* name : {"two-level", "flat"}) {
        EXPECT_THAT(svg, HasSubstr(fmt::format("<title>{}</title>", name))) << "the path of one leaf";
        for (int rank = 0; rank < 6; ++rank) {
            EXPECT_THAT(svg, HasSubstr(fmt::format("<title>{}: rank {}</title>", name, rank)));
        }
    }
    // All lines go from the row of leaves to that of the root and back, however many stages lie between.
    std::set<std::string> highest;
    std::set<std::string> lowest;
    const auto end = svg.find("departures by their order");
    for (auto at = svg.find("points=\""); at < end; at = svg.find("points=\"", at + 1)) {
        std::vector<double> rows;
        const auto words = split(svg.substr(at + 8, svg.find('"', at + 8) - at - 8), ' ');
        for (const auto& word : words) {
            if (const auto comma = word.find(','); comma != std::string::npos) {
                rows.push_back(std::stod(word.substr(comma + 1)));
            }
        }
        const double panel = std::floor(std::ranges::min(rows) / 100);
        highest.insert(fmt::format("{} {}", panel, std::ranges::min(rows)));
        lowest.insert(fmt::format("{} {}", panel, std::ranges::max(rows)));
    }
    EXPECT_EQ(highest.size(), 2U) << "one for each panel";
    EXPECT_EQ(lowest.size(), 2U);
}

TEST(TreeTrace, IsTheTraceEventFormat) {
    const Traced traced;
    const auto text = tree_trace_json(traced.times, {{0, "h0"}}, "allreduce", 2);
    const auto json = nlohmann::ordered_json::parse(text);
    EXPECT_EQ(json["displayTimeUnit"], "ns");
    std::size_t calls = 0;
    bool named = false;
    for (const auto& event : json["traceEvents"]) {
        named = named || (event["ph"] == "M" && event["args"]["name"] == "rank 0 on h0");
        if (event["ph"] == "X") {
            EXPECT_GE(event["dur"].get<double>(), 0);
            EXPECT_LT(event["args"]["call"].get<int>(), 2);
            calls += event["name"] == "allreduce" ? std::size_t{1} : 0;
        }
    }
    EXPECT_TRUE(named);
    EXPECT_EQ(calls, 12U) << "six leaves in two calls";
    EXPECT_THAT(text, HasSubstr("wait for contributors"));
}

const TreeNames two_names{.first = "tree:two-level", .second = "tree:flat"};

TEST(TreeComparisonText, ShowsWhatChanged) {
    const Traced traced;
    const NodeIndex flat(tree::flat_tree(6));
    const auto calls = tree::simultaneous_calls(flat, 100, {});
    const StageTimes times(flat, calls);
    const auto comparison = tree::compare_trees(traced.times, times);
    const auto text = tree_comparison_text(two_names, comparison, {}, false);
    EXPECT_THAT(text, HasSubstr("tree:flat is "));
    EXPECT_THAT(text, HasSubstr(" times faster than tree:two-level (95 % interval "));
    EXPECT_THAT(text, HasSubstr("Stages that changed, most time first\n"));
    EXPECT_THAT(text, HasSubstr("Paths without arrival waits that changed, most time first\n"));
    EXPECT_THAT(text, HasSubstr("path of rank 5"));
    EXPECT_THAT(
        text, ::testing::ContainsRegex(
                  "edge of join host1, both ways +[0-9.]+ us +- +-[0-9.]+ us +- +- +only in tree:two-level"));
    EXPECT_THAT(text, HasSubstr("Joins of tree:two-level alone: host0 and host1."));
    const auto json = tree_comparison_json(two_names, comparison);
    EXPECT_EQ(json["verdict"], "faster");
    EXPECT_EQ(json["faster"], "tree:flat");
    EXPECT_GT(json["speedup"].get<double>(), 1);
    EXPECT_GE(json["speedup"], json["speedup_ci95"][0]);
    EXPECT_LE(json["speedup"], json["speedup_ci95"][1]);
    EXPECT_EQ(json["parts"][0]["part"], "tree");
    EXPECT_EQ(json["parts"][0]["verdict"], "faster");
    EXPECT_EQ(json["parts_only_first"].size(), 8U);
    EXPECT_EQ(json["parts_only_first"][0]["part"], "edge");
    EXPECT_EQ(json["parts_only_first"][0]["median_ns"], 2'300);
    EXPECT_TRUE(json["parts_only_second"].empty());
}

/// A part as compared, with a median of 1 us in the first tree.
tree::ComparedPart compared(tree::ComparedKind kind, const std::string& name, double second_ns,
                            bool unchanged) {
    const double ratio = second_ns / 1'000;
    return {.kind = kind,
            .name = name,
            .unchanged = unchanged,
            .first_ns = 1'000,
            .second_ns = second_ns,
            .ratio = ratio,
            .ratio_ci95 = stats::Interval{.low = 0.9 * ratio, .high = 1.1 * ratio},
            .change = second_ns > 1'000   ? analysis::Change::slower
                      : second_ns < 1'000 ? analysis::Change::faster
                                          : analysis::Change::same};
}

TEST(TreeComparisonText, NamesTheFasterTreeWhicheverItIs) {
    tree::TreeComparison comparison{.parts = {compared(tree::ComparedKind::tree, "", 2'000, false)}};
    EXPECT_EQ(
        conclusion(two_names, comparison),
        "tree:two-level is 2.00 times faster than tree:flat (95 % interval 1.80 to 2.20): 1.00 us instead "
        "of 2.00 us.");
    comparison.parts = {compared(tree::ComparedKind::tree, "", 500, false)};
    EXPECT_EQ(
        conclusion(two_names, comparison),
        "tree:flat is 2.00 times faster than tree:two-level (95 % interval 1.82 to 2.22): 500 ns instead "
        "of 1.00 us.");
    comparison.parts = {compared(tree::ComparedKind::tree, "", 1'000, false)};
    EXPECT_EQ(conclusion(two_names, comparison),
              "Both trees take the same time: 1.00 us via tree:two-level, 1.00 us via tree:flat.");
    EXPECT_EQ(conclusion(two_names, {}), "No call of both trees has all its events.");
}

TEST(TreeComparisonText, NeverHidesWhatGotSlowerWithoutBeingReconfigured) {
    tree::TreeComparison comparison{.parts = {compared(tree::ComparedKind::tree, "", 1'500, false)}};
    for (int rank = 0; rank < 40; ++rank) {
        comparison.parts.push_back(compared(tree::ComparedKind::edge, fmt::format("{}", rank), 9'000, false));
    }
    comparison.parts.push_back(compared(tree::ComparedKind::join_up, "host0", 1'100, true));
    comparison.parts.push_back(compared(tree::ComparedKind::store, "", 1'000, true));
    const auto text = tree_comparison_text(two_names, comparison, {}, false);
    EXPECT_THAT(text, HasSubstr("1 part is not reconfigured, yet slower in"));
    EXPECT_THAT(text, ::testing::ContainsRegex("up latency of join host0 .*not reconfigured, yet slower"));
    EXPECT_THAT(text,
                ::testing::ContainsRegex("edge of rank 11, both ways +1.00 us +9.00 us +\\+8.00 us +9.000 "
                                         "+8.100 .. 9.900 +slower"));
    EXPECT_THAT(text, HasSubstr("28 more with --all."));
    EXPECT_THAT(text, ::testing::Not(HasSubstr("store at the root"))) << "it did not change";
    EXPECT_THAT(tree_comparison_text(two_names, comparison, {}, true), HasSubstr("store at the root"));
}

TEST(TreeComparisonText, HasARowForEachSize) {
    const auto point = [](std::int64_t bytes, double second_ns) {
        return ComparedTreePoint{
            .key = {.operation = "allreduce", .pattern = "all", .procs = 8, .size = {bytes}},
            .comparison = {.parts = {compared(tree::ComparedKind::tree, "", second_ns, false)}}};
    };
    const auto text =
        tree_speedups_text(two_names, {point(8, 500), point(4'096, 2'000), point(65'536, 1'000)}, {});
    EXPECT_THAT(text, ::testing::ContainsRegex("8 B +1.00 us +500 ns +tree:flat +2.00 +1.82 .. 2.22"));
    EXPECT_THAT(text,
                ::testing::ContainsRegex("4 KiB +1.00 us +2.00 us +tree:two-level +2.00 +1.80 .. 2.20"));
    EXPECT_THAT(text, ::testing::ContainsRegex("64 KiB +1.00 us +1.00 us +same +- +-"));
}

}  // namespace
}  // namespace fathom::report
