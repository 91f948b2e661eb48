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

}  // namespace
}  // namespace fathom::report
