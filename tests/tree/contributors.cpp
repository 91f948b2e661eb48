#include "tree/contributors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_support.hpp"

namespace fathom::tree {
namespace {

using fathom::testing::refusal_of;
using ::testing::ElementsAre;

TEST(Contributors, AreRanksAndThreadsOfRanks) {
    EXPECT_EQ(contributors_from("7"), (Contributors{7, 7, 0, 0}));
    EXPECT_EQ(contributors_from("0-3"), (Contributors{0, 3, 0, 0}));
    EXPECT_EQ(contributors_from("2:1"), (Contributors{2, 2, 1, 1}));
    EXPECT_EQ(contributors_from("0-3:0-1"), (Contributors{0, 3, 0, 1}));
    EXPECT_EQ(contributors_from(" 0 - 3 : 0 - 1 "), (Contributors{0, 3, 0, 1}));
}

TEST(Contributors, ThatAreNoneAreQuoted) {
    for (const char* word : {"3-", "-3", "3-4-5", "3:", "3:x", "3x", "3:-1", "99999999999", "+3", "3-+4"}) {
        EXPECT_EQ(refusal_of([&] { contributors_from(word); }),
                  "'" + std::string(word) +
                      "' is not a rank; give ranks such as 0 or 0-3, threads of a rank as 2:0-1");
    }
    EXPECT_EQ(refusal_of([] { contributors_from("3-1"); }),
              "'3-1' runs backwards; give the smaller number first");
    EXPECT_EQ(refusal_of([] { contributors_from("0:3-1"); }),
              "'0:3-1' runs backwards; give the smaller number first");
    EXPECT_EQ(refusal_of([] { contributors_from("0-1048576"); }),
              "'0-1048576' is out of range; ranks and threads are numbered from 0 to 1048575");
}

TEST(Contributors, AreToldFromNamesByTheirFirstLetter) {
    EXPECT_TRUE(names_ranks("0-3"));
    EXPECT_TRUE(names_ranks("-1"));
    EXPECT_FALSE(names_ranks("left"));
    EXPECT_FALSE(names_ranks(""));
}

TEST(ContributorWords, AreTheShortest) {
    using Words = std::vector<Contributor>;
    EXPECT_THAT(contributor_words(Words{}), ElementsAre());
    EXPECT_THAT(contributor_words(Words{{0}, {1}, {2}, {3}}), ElementsAre("0-3"));
    EXPECT_THAT(contributor_words(Words{{0}, {2}, {3}, {5}}), ElementsAre("0", "2-3", "5"));
    EXPECT_THAT(contributor_words(Words{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}}),
                ElementsAre("0-1:0-1", "2"));
    EXPECT_THAT(contributor_words(Words{{0, 1}, {0, 3}, {1, 1}}), ElementsAre("0:1", "0:3", "1:1"));
}

TEST(RanksText, HasRangesAndSingleRanks) {
    EXPECT_EQ(ranks_text(std::vector<int>{0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
    EXPECT_EQ(ranks_text(std::vector<int>{}), "");
}

}  // namespace
}  // namespace fathom::tree
