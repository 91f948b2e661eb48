#include "tree/drawing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "tree/sample_trees.hpp"

namespace fathom::tree {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

int characters_in(std::string_view line) {
    int count = 0;
    for (; !line.empty(); ++count) {
        line.remove_prefix(first_character(line).bytes);
    }
    return count;
}

int count_of(const std::string& text, std::string_view part) {
    int count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) {
        ++count;
    }
    return count;
}

TEST(TextDrawing, HasALineForEveryJoinAndForLeavesSideBySide) {
    const auto tree = two_hosts();
    EXPECT_EQ(text_drawing(tree, tree.hosts, 80),
              "root (rank 0 on a)\n"
              "├─ flag ─ left (rank 0 on a)\n"
              "│  └─ flag ─ ranks 0-3\n"
              "└─ message ─ right (rank 4 on b)\n"
              "   └─ flag ─ ranks 4-7\n");
}

TEST(TextDrawing, HasLeavesBesideJoins) {
    EXPECT_EQ(text_drawing(made(Shape::binomial, 8), {}, 80),
              "root (rank 0)\n"
              "├─ message ─ ranks 0-1\n"
              "├─ message ─ r2 (rank 2)\n"
              "│  └─ message ─ ranks 2-3\n"
              "└─ message ─ r4 (rank 4)\n"
              "   ├─ message ─ ranks 4-5\n"
              "   └─ message ─ r6 (rank 6)\n"
              "      └─ message ─ ranks 6-7\n");
}

TEST(TextDrawing, PartsLeavesByTheKindOfTheirEdges) {
    const Tree tree{.name = "",
                    .joins = {{.name = "root"}},
                    .leaves = {{.rank = 0, .edge = EdgeKind::flag},
                               {.rank = 0, .thread = 1, .edge = EdgeKind::flag},
                               {.rank = 1, .edge = EdgeKind::message}},
                    .segment = std::nullopt};
    EXPECT_EQ(text_drawing(tree, {}, 80),
              "root (rank 0)\n"
              "├─ flag ─ ranks 0:0-1\n"
              "└─ message ─ rank 1\n");
}

TEST(TextDrawing, FitsTheTerminalAndCountsWhatDoesNot) {
    for (const int columns : {46, 60, 80, 200}) {
        for (const auto shape : values_of<Shape>) {
            const auto tree = made(shape, 64, 4);
            for (const auto& line : split(text_drawing(tree, tree.hosts, columns), '\n')) {
                EXPECT_LE(characters_in(line), columns) << line;
            }
        }
    }
    EXPECT_THAT(text_drawing(made(Shape::chain, 64), {}, 80),
                HasSubstr("└─ ... 49 more joins and 51 leaves below\n"));
    EXPECT_THAT(text_drawing(made(Shape::chain, 64), {}, 400), Not(HasSubstr("...")));
    EXPECT_THAT(text_drawing(made(Shape::chain, 100'000), {}, 80), HasSubstr(" more joins and "));
}

TEST(TextDrawing, ShowsHostileNamesHarmlessly) {
    EXPECT_THAT(text_drawing(made(Shape::flat, 1), {"\x1b[31m"}, 80), HasSubstr("on \\x1b[31m)"));
}

TEST(SvgDrawing, HasEveryNodeAndEdgeOnce) {
    for (const auto shape : values_of<Shape>) {
        const auto tree = made(shape, 64, 4);
        const auto svg = svg_drawing(tree, tree.hosts);
        EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" "));
        EXPECT_TRUE(svg.ends_with("</svg>\n"));
        EXPECT_EQ(count_of(svg, "<circle "), 64);
        EXPECT_EQ(count_of(svg, "<g>"), static_cast<int>(tree.joins.size()));
        EXPECT_EQ(count_of(svg, "</path>"), 64 + static_cast<int>(tree.joins.size()) - 1);
        EXPECT_EQ(count_of(svg, "href"), 0) << "self-contained";
    }
}

TEST(SvgDrawing, NamesHostsRanksAndKinds) {
    const auto tree = two_hosts();
    const auto svg = svg_drawing(tree, tree.hosts);
    EXPECT_THAT(svg, HasSubstr(">flag (9)</text>"));
    EXPECT_THAT(svg, HasSubstr(">message (1)</text>"));
    EXPECT_THAT(svg, HasSubstr("<title>message: join &apos;right&apos; to join &apos;root&apos;</title>"));
    EXPECT_THAT(svg, HasSubstr(">rank 4 on b</text>"));
    EXPECT_THAT(svg, HasSubstr(">b</text>"));
}

TEST(SvgDrawing, EscapesNames) {
    auto tree = two_hosts();
    tree.name = "<script>&\x1b";
    tree.hosts = Hosts(8, "\"<b>\"\xef\xbf\xbf");
    const auto svg = svg_drawing(tree, tree.hosts);
    EXPECT_THAT(svg, HasSubstr("&lt;script&gt;&amp;\\x1b"));
    EXPECT_THAT(svg, HasSubstr("&quot;&lt;b&gt;&quot;?"));
    EXPECT_THAT(svg, Not(HasSubstr("<script>")));
}

}  // namespace
}  // namespace fathom::tree
