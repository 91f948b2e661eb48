#include "base/printable.hpp"

#include <gtest/gtest.h>

namespace fathom {
namespace {

TEST(Printable, LeavesOrdinaryTextAsItIs) {
    for (const auto* text : {"", "bcast, 64 KiB", "C:\\folder \"x\" 'y' `z`", "Zürich, 北京, 👍"}) {
        EXPECT_EQ(printable(text), text);
    }
}

TEST(Printable, ShowsControlCharactersAsEscapes) {
    EXPECT_EQ(printable("a\nb\rc\td"), "a\\nb\\rc\\td");
    EXPECT_EQ(printable("\x1b[2J\x1b]0;title\x07"), "\\x1b[2J\\x1b]0;title\\x07");
    EXPECT_EQ(printable(std::string_view("\0\b\x7f", 3)), "\\x00\\x08\\x7f");
    EXPECT_EQ(printable("\u009b31m"), "\\u009b31m") << "C1: what begins a sequence in one character";
}

TEST(Printable, ShowsBidirectionalAndInvisibleCharactersAsEscapes) {
    EXPECT_EQ(printable("\u202egnp.exe"), "\\u202egnp.exe");
    EXPECT_EQ(printable("\u2066a\u2069\u200e\u200f\u061c"), "\\u2066a\\u2069\\u200e\\u200f\\u061c");
    EXPECT_EQ(printable("a\u2028b\u2029c\ufeff"), "a\\u2028b\\u2029c\\ufeff");
    EXPECT_EQ(printable("\U000e0041"), "\\U000e0041");
}

TEST(Printable, ShowsBytesThatAreNotUtf8AsEscapes) {
    EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
    EXPECT_EQ(printable("caf\xe9"), "caf\\xe9") << "Latin-1";
    EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b") << "an overlong escape";
    EXPECT_EQ(printable("\xe0\x80\x9b"), "\\xe0\\x80\\x9b") << "another";
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
    EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond the last character";
    EXPECT_EQ(printable("\xe5\x8c"), "\\xe5\\x8c") << "cut within a character";
}

TEST(Printable, CutsWhatIsLongBetweenCharacters) {
    EXPECT_EQ(printable("abcdef", 6), "abcdef");
    EXPECT_EQ(printable("abcdefg", 6), "abc...");
    EXPECT_EQ(printable("äöüäöü", 6), "äöüäöü") << "characters count, not bytes";
    EXPECT_EQ(printable("äöüäöüä", 6), "äöü...");
    EXPECT_EQ(printable("a\x1b\x1b", 6), "a...") << "no half of an escape";
    EXPECT_EQ(printable(std::string(100'000, 'x')).size(), longest_message);
    EXPECT_EQ(printable_name(std::string(100'000, 'x')).size(), longest_name);
    EXPECT_EQ(printable(std::string(10'000, 'x'), std::string::npos).size(), 10'000U);
}

TEST(PrintableLines, KeepLinesAndTabs) {
    EXPECT_EQ(printable_lines("a\tb\nc\rd\x1b[H\n", false), "a\tb\nc\\rd\\x1b[H\n");
    EXPECT_EQ(printable_lines("Zürich\u202e\xff\n", true), "Zürich\\u202e\\xff\n");
}

TEST(PrintableLines, KeepOurColoursWhereTheStreamHasThem) {
    EXPECT_EQ(printable_lines("\x1b[31mred\x1b[0m \x1b[2J", true), "\x1b[31mred\x1b[0m \\x1b[2J");
    EXPECT_EQ(printable_lines("\x1b[1mbold\x1b[0m", false), "\\x1b[1mbold\\x1b[0m");
    EXPECT_EQ(printable_lines("\x1b[8mhidden", true), "\\x1b[8mhidden") << "none of ours";
}

TEST(PrintableJson, HasTheSameDataWithEscapes) {
    EXPECT_EQ(printable_json("{\n  \"a\": \"\\u001b, \x7f\u009b\u202eü\"\n}\n"),
              "{\n  \"a\": \"\\u001b, \\u007f\\u009b\\u202eü\"\n}\n");
    EXPECT_EQ(printable_json("\"\U000e0041\""), "\"\\udb40\\udc41\"");
}

}  // namespace
}  // namespace fathom
