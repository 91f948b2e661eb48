#include "base/utf8.hpp"

#include <gtest/gtest.h>

namespace fathom {
namespace {

TEST(ValidUtf8, IsLeftAlone) {
    for (const std::string text : {"", "plain", "\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\x7F"}) {
        EXPECT_EQ(valid_utf8(text), text);
    }
    const std::string with_nul("a\0b", 3);
    EXPECT_EQ(valid_utf8(with_nul), with_nul);
}

TEST(ValidUtf8, ReplacesEachByteThatIsNoPartOfIt) {
    const std::string mark = "\xEF\xBF\xBD";
    EXPECT_EQ(valid_utf8("a\xFFz"), "a" + mark + "z");
    EXPECT_EQ(valid_utf8("\xC3"), mark) << "cut short";
    EXPECT_EQ(valid_utf8("\xE2\x82z"), mark + mark + "z");
    EXPECT_EQ(valid_utf8("\x80"), mark) << "begins in the middle";
    EXPECT_EQ(valid_utf8("\xC0\xAF"), mark + mark) << "overlong";
    EXPECT_EQ(valid_utf8("\xED\xA0\x80"), mark + mark + mark) << "a surrogate";
    EXPECT_EQ(valid_utf8("\xF4\x90\x80\x80"), mark + mark + mark + mark) << "beyond U+10FFFF";
}

}  // namespace
}  // namespace fathom
