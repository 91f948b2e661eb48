#include "plan/grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_support.hpp"

namespace fathom::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::refusal_of;

std::vector<std::int64_t> counts(const std::vector<Bytes>& sizes) {
    std::vector<std::int64_t> numbers;
    for (const auto size : sizes) {
        numbers.push_back(size.count);
    }
    return numbers;
}

std::vector<std::int64_t> expanded(const std::string& specification) {
    return counts(expand_sizes({specification}));
}

std::string refusal(const std::string& specification) {
    return refusal_of([&] { expand_sizes({specification}); });
}

TEST(Sizes, OfOneNumberAreThatNumber) {
    EXPECT_THAT(expanded("0"), ElementsAre(0));
    EXPECT_THAT(expanded("64k"), ElementsAre(65536));
}

TEST(Sizes, OfARangeDouble) {
    EXPECT_THAT(expanded("1:16"), ElementsAre(1, 2, 4, 8, 16));
    EXPECT_THAT(expanded("512:4k"), ElementsAre(512, 1024, 2048, 4096));
    EXPECT_THAT(expanded("1:1"), ElementsAre(1));
    EXPECT_THAT(expanded("0:0"), ElementsAre(0));
}

TEST(Sizes, FromZeroGoOnWithOne) {
    EXPECT_THAT(expanded("0:8"), ElementsAre(0, 1, 2, 4, 8));
    EXPECT_THAT(expanded("0:1"), ElementsAre(0, 1));
}

TEST(Sizes, OfARangeAlwaysIncludeItsEnd) {
    EXPECT_THAT(expanded("3:20"), ElementsAre(3, 6, 12, 20));
    EXPECT_THAT(expanded("3:24"), ElementsAre(3, 6, 12, 24));
}

TEST(Sizes, GoBeyond2GiB) {
    const auto sizes = expanded("1:16G");
    ASSERT_EQ(sizes.size(), 35U);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        EXPECT_EQ(sizes[i], std::int64_t{1} << i);
    }
}

TEST(Sizes, ReachTheLargestSizeWithoutOverflow) {
    const auto sizes = expanded("3:4194304T");
    EXPECT_EQ(sizes.back(), std::int64_t{1} << 62);
    EXPECT_EQ(sizes[sizes.size() - 2], std::int64_t{3} << 60);
    EXPECT_TRUE(std::is_sorted(sizes.begin(), sizes.end()));
}

TEST(Sizes, TakeBlanksAroundTheColon) {
    EXPECT_THAT(expanded("1 : 4"), ElementsAre(1, 2, 4));
}

TEST(Sizes, RefuseARangeThatRunsBackwards) {
    EXPECT_EQ(refusal("1M:1k"), "the range '1M:1k' runs backwards; give the smaller size first");
}

TEST(Sizes, RefuseWhatIsNoRange) {
    EXPECT_EQ(refusal("1:2:3"), "'1:2:3' is no range of sizes; give FIRST:LAST such as 1:1M, or 1:1M:auto");
    EXPECT_EQ(refusal(""), "'' is no range of sizes; give FIRST:LAST such as 1:1M, or 1:1M:auto");
    EXPECT_EQ(refusal("1:"), "'' is no size; give bytes such as 8, 64k or 1M");
    EXPECT_EQ(refusal(":8"), "'' is no size; give bytes such as 8, 64k or 1M");
    EXPECT_EQ(refusal("-4:8"), "'-4' is no size; give bytes such as 8, 64k or 1M");
}

TEST(Sizes, OfSeveralSpecificationsAreSortedAndEachOnce) {
    EXPECT_THAT(counts(expand_sizes({"1k", "0:4", "2:8", "1024"})), ElementsAre(0, 1, 2, 4, 8, 1024));
    EXPECT_THAT(expand_sizes({}), IsEmpty());
}

}  // namespace
}  // namespace fathom::plan
