#include "report/paragraph.hpp"

#include <gtest/gtest.h>

namespace fathom::report {
namespace {

TEST(Paragraph, BreaksLinesBetweenWords) {
    EXPECT_EQ(paragraph("a few words"), "  a few words\n");
    EXPECT_EQ(paragraph(""), "");
    const auto text = paragraph(std::string(70, 'x') + " next word");
    EXPECT_EQ(text, "  " + std::string(70, 'x') + " next\n  word\n");
    EXPECT_EQ(paragraph(std::string(100, 'x')), "  " + std::string(100, 'x') + "\n");
}

TEST(Paragraph, IsPrintable) {
    EXPECT_EQ(paragraph("host \x1b[2J\u202e"), "  host \\x1b[2J\\u202e\n");
}

TEST(Fitted, BreaksLinesAtTheEndOfTheTerminalAndKeepsTheirIndent) {
    constexpr Terminal narrow{.table_columns = 20};
    EXPECT_EQ(fitted("short\n\nsome words that go on and on\n", narrow),
              "short\n\nsome words that go\non and on\n");
    EXPECT_EQ(fitted("  1. a note of several words\n     - and one more of them\n", narrow),
              "  1. a note of\n     several words\n     - and one more\n       of them\n");
    EXPECT_EQ(fitted("  averyveryverylongwordthatdoesnotfit here\n", narrow),
              "  averyveryverylongwordthatdoesnotfit\n  here\n");
    EXPECT_EQ(fitted("  8,32,128,512,1k,2k,4k,8k\n", narrow), "  8,32,128,512,1k,\n  2k,4k,8k\n");
}

TEST(Fitted, LeavesLinesAloneWhereThereIsNoTerminal) {
    const std::string line = std::string(300, 'x') + " y\n";
    EXPECT_EQ(fitted(line, Terminal{}), line);
}

TEST(WithoutTail, EndsALineWithItsLastWord) {
    EXPECT_EQ(without_tail("  a b  "), "  a b");
    EXPECT_EQ(without_tail("  "), "");
}

}  // namespace
}  // namespace fathom::report
