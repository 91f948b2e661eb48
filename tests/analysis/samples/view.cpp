#include "analysis/samples/view.hpp"

#include <gtest/gtest.h>

#include "base/test_support.hpp"

namespace fathom::analysis {
namespace {

using testing::refusal_of;

/// The ranks of 0 to 9 that belong to a set.
std::string members(const RankSet& set) {
    std::string text;
    for (int rank = 0; rank < 10; ++rank) {
        text += set.contains(rank) ? std::to_string(rank) : "";
    }
    return text;
}

std::string refusal(const std::string& text) {
    return refusal_of([&] { RankSet::parse(text); });
}

TEST(RankSet, HoldsAllUnlessSaidOtherwise) {
    const RankSet set;
    EXPECT_TRUE(set.all());
    EXPECT_EQ(members(set), "0123456789");
    EXPECT_TRUE(set.contains(1'000'000));
    EXPECT_EQ(set.text(), "");
}

TEST(RankSet, TakesRanksAndRanges) {
    EXPECT_EQ(members(RankSet::parse("3")), "3");
    EXPECT_EQ(members(RankSet::parse("0,4-7")), "04567");
    EXPECT_EQ(members(RankSet::parse("7,2-2,0-1")), "0127");
    EXPECT_EQ(members(RankSet::parse("1-4,3-6")), "123456");
    EXPECT_EQ(members(RankSet::parse("0 , 2")), "02");
    EXPECT_FALSE(RankSet::parse("0-9").all()) << "of a job that may have more";
}

TEST(RankSet, KnowsItsLargest) {
    EXPECT_EQ(RankSet::parse("3").largest(), 3);
    EXPECT_EQ(RankSet::parse("8,0,4-7").largest(), 8);
    EXPECT_EQ(RankSet::parse("0,4-70,8").largest(), 70);
}

TEST(RankSet, IsWrittenAsItWasRead) {
    for (const std::string text : {"3", "0,4-7", "7,2,0-1"}) {
        EXPECT_EQ(RankSet::parse(text).text(), text);
    }
    EXPECT_EQ(RankSet::parse("5-5").text(), "5");
}

TEST(RankSet, RefusesWhatIsNoRank) {
    for (const std::string text :
         {"", "x", "-1", "1-", "1,x", "1.5", "4-x", "1--3", "1-2-3", "0x2", "99999999999"}) {
        EXPECT_EQ(refusal(text), "give ranks such as 0,4-7") << text;
    }
    EXPECT_EQ(refusal("0,7-4"), "the range '7-4' runs backwards; give the smaller rank first");
}

}  // namespace
}  // namespace fathom::analysis
