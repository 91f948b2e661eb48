#include "report/page/page.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "journal/json.hpp"
#include "report/page/page_bundle.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Pack, WritesTablesByColumn) {
    auto json = ordered_json::parse(R"({"a": [{"x": 1, "y": [{"z": 2}, {"z": 3}]}, {"x": null, "y": []}]})");
    pack(json);
    EXPECT_EQ(json.dump(), R"({"a":{"[]":2,"x":[1,null],"y":[{"[]":2,"z":[2,3]},[]]}})");
    json = ordered_json::parse(R"([{"x": 1, "y": "s", "z": [1]}, {"x": 1, "y": "s", "z": [1]}])");
    pack(json);
    EXPECT_EQ(json.dump(), R"({"[]":2,"x":1,"y":"s","z":[[1],[1]]})") << "what all have, once";
}

TEST(Pack, LeavesWhatIsNoTable) {
    const auto whole = ordered_json::parse(
        R"({"a": [{"x": 1}], "b": [{"x": 1}, {"y": 1}], "c": [{"x": 1}, 2], "d": [1, 2], "e": [], "f": [{"x": 1}, {"x": 1, "y": 2}]})");
    auto json = whole;
    pack(json);
    EXPECT_EQ(json, whole);
}

TEST(EmbeddedJson, CannotEndItsElementNorStartMarkup) {
    const ordered_json json{{"a", "</script><!--<b>&amp;"}, {"b<", 1}};
    const auto text = embedded_json(json);
    EXPECT_THAT(text, AllOf(Not(HasSubstr("<")), Not(HasSubstr(">")), Not(HasSubstr("&"))));
    EXPECT_EQ(ordered_json::parse(text), json);
}

TEST(EmbeddedJson, EscapesWhatOldScriptsTakeForNewLines) {
    const ordered_json json{{"a", "x\xE2\x80\xA8y\xE2\x80\xA9z\xE2\x80\xAF"}};
    const auto text = embedded_json(json);
    EXPECT_THAT(text, AllOf(HasSubstr("x\\u2028y\\u2029z\xE2\x80\xAF")));
    EXPECT_EQ(ordered_json::parse(text), json);
}

TEST(EmbeddedJson, ReplacesBytesThatAreNoText) {
    EXPECT_EQ(embedded_json("a\xFF"
                            "b"),
              "\"a\xEF\xBF\xBD"
              "b\"");
}

TEST(HtmlText, HasNoMarkup) {
    EXPECT_EQ(html_text("<b title=\"x\">'&'</b>"), "&lt;b title=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/b&gt;");
}

TEST(Page, AllowsNothingButItsOwnScriptAndStyle) {
    if (!page_bundle().there()) {
        EXPECT_FALSE(std::string(page_bundle().missing).empty()) << "a build without the page says why";
        return;
    }
    const auto page = page_html({{"schema", "fathom.report/1"}}, "a <title>");
    EXPECT_THAT(page,
                HasSubstr("default-src 'none'; script-src '" + std::string(page_bundle().script_hash) +
                          "'; style-src '" + std::string(page_bundle().style_hash) + "'; base-uri 'none'"));
    EXPECT_THAT(page, Not(HasSubstr("unsafe")));
    EXPECT_THAT(page, HasSubstr("<title>a &lt;title&gt;</title>"));
    EXPECT_THAT(page, HasSubstr(R"(id="data">{"schema":"fathom.report/1"}</script>)"));
    EXPECT_THAT(page, HasSubstr("<noscript>"));
}

}  // namespace
}  // namespace fathom::report
