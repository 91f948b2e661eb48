#include "report/page/packed_counts.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace fathom::report {
namespace {

// Vectors of RFC 4648.
TEST(Base64, IsThatOfTheStandard) {
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foo"), "Zm9v");
    EXPECT_EQ(base64("foob"), "Zm9vYg==");
    EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
    EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
    EXPECT_EQ(base64("\xFF\xFE"), "//4=");
}

TEST(PackedCounts, AreGapsAndCountsOfBinsThatAreNotEmpty) {
    const std::vector<std::int64_t> counts{0, 0, 5, 7, 0, 300, 0};
    EXPECT_EQ(packed_counts(counts), base64({"\x02\x05\x00\x07\x01\xAC\x02", 7}));
}

TEST(PackedCounts, OfNothingAreNothing) {
    EXPECT_EQ(packed_counts(std::vector<std::int64_t>{0, 0, 0}), "");
}

}  // namespace
}  // namespace fathom::report
