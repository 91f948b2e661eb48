#include "plan/grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_support.hpp"

namespace fathom::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::refusal_of;

std::vector<std::int64_t> expanded(const std::string& specification) {
    return size_grid({specification}).values;
}

std::string refusal(const std::string& specification) {
    return refusal_of([&] { size_grid({specification}); });
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

TEST(Sizes, OfARangeWithAStepAreEquallyFarApart) {
    EXPECT_THAT(expanded("0:1000:+250"), ElementsAre(0, 250, 500, 750, 1000));
    EXPECT_THAT(expanded("0:4k:+1k"), ElementsAre(0, 1024, 2048, 3072, 4096));
    EXPECT_THAT(expanded("1:10:+4"), ElementsAre(1, 5, 9, 10)) << "the end is always included";
    EXPECT_THAT(expanded("7:7:+4"), ElementsAre(7));
    EXPECT_THAT(expanded("1:4194304T:+4000000T").size(), 3U) << "without overflow";
}

TEST(Sizes, OfARangeWithAFactorAreRoundedEachFromTheExactOne) {
    EXPECT_THAT(expanded("1:16:*2"), ElementsAre(1, 2, 4, 8, 16));
    EXPECT_THAT(expanded("0:100:*10"), ElementsAre(0, 1, 10, 100));
    EXPECT_THAT(expanded("100:400:*1.41"), ElementsAre(100, 141, 199, 280, 395, 400));
    EXPECT_THAT(expanded("1:6:*1.1"), ElementsAre(1, 2, 3, 4, 5, 6)) << "each once";
}

TEST(Sizes, RefuseAStepOrAFactorThatGoesNowhere) {
    EXPECT_EQ(refusal("1:8:+0"), "the step '+0' goes nowhere; give one above 0");
    EXPECT_EQ(refusal("1:8:+"), "'' is not a size; give bytes such as 8, 64k or 1M");
    for (const std::string factor : {"*1", "*0.5", "*-2", "*x", "*", "*2x", "*nan", "*inf"}) {
        EXPECT_EQ(refusal("1:8:" + factor), "'" + factor + "' is no factor; give one above 1 such as *1.41");
    }
    EXPECT_EQ(refusal("0:1G:+1"), "the range '0:1G:+1' has more than 100000 values; give a larger step");
    for (const std::string factor : {"*1.0000001", "*1.0000000000000002"}) {
        EXPECT_EQ(refusal("1:1T:" + factor),
                  "the range '1:1T:" + factor + "' has more than 100000 values; give a larger factor");
    }
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

TEST(Sizes, SuggestARangeForOneOfAnotherLanguage) {
    for (const std::string text : {"8..64k", "8...64k", "8-64k"}) {
        EXPECT_EQ(refusal(text), "write the range as 8:64k, which doubles");
    }
    EXPECT_EQ(refusal("8..x"), "'8..x' is not a size; give bytes such as 8, 64k or 1M");
    EXPECT_EQ(refusal("..8"), "'..8' is not a size; give bytes such as 8, 64k or 1M");
}

TEST(Sizes, RefuseWhatIsNoRange) {
    const std::string forms =
        " is not a range of sizes; give FIRST:LAST such as 1:1M, 1:1M:auto, 1:1M:+STEP or 1:1M:*FACTOR";
    EXPECT_EQ(refusal("1:2:3"), "'1:2:3'" + forms);
    EXPECT_EQ(refusal("1:9:+1:auto"), "'1:9:+1:auto'" + forms);
    EXPECT_EQ(refusal(""), "''" + forms);
    EXPECT_EQ(refusal("1:"), "'' is not a size; give bytes such as 8, 64k or 1M");
    EXPECT_EQ(refusal(":8"), "'' is not a size; give bytes such as 8, 64k or 1M");
    EXPECT_EQ(refusal("-4:8"), "'-4' is not a size; give bytes such as 8, 64k or 1M");
}

TEST(Sizes, OfSeveralSpecificationsAreSortedAndEachOnce) {
    EXPECT_THAT(size_grid({"1k", "0:4", "2:8", "1024"}).values, ElementsAre(0, 1, 2, 4, 8, 1024));
    EXPECT_THAT(size_grid({}).values, IsEmpty());
}

TEST(SizeGrid, KeepsWhichRangesAreToBeRefined) {
    const auto grid = size_grid({"16", "1:4", "8:64k:auto", "1M:3M:auto"});
    EXPECT_THAT(grid.refined, ElementsAre(RefinedRange{8, 65536}, RefinedRange{1 << 20, 3 << 20}));
    EXPECT_THAT(size_grid({"16", "1:4"}).refined, IsEmpty());
}

TEST(SizeGrid, BeginsARefinedRangeLikeAnyOther) {
    EXPECT_EQ(size_grid({"3:1M:auto"}).values, size_grid({"3:1M"}).values);
    EXPECT_EQ(size_grid({"0:5:auto"}).values, size_grid({"0:5"}).values);
}

TEST(SizeGrid, TakesBlanksAroundTheWordAuto) {
    EXPECT_THAT(size_grid({"1 : 8 : auto"}).refined, ElementsAre(RefinedRange{1, 8}));
}

TEST(SizeGrid, RefusesOtherWordsForAuto) {
    for (const std::string text : {"1:8:", "1:8:Auto", "1:8:automatic", "1:8:auto:auto", "auto:1:8"}) {
        EXPECT_EQ(refusal(text),
                  "'" + text +
                      "' is not a range of sizes; give FIRST:LAST such as 1:1M, 1:1M:auto, 1:1M:+STEP or "
                      "1:1M:*FACTOR");
    }
    EXPECT_EQ(refusal("1:auto"), "'auto' is not a size; give bytes such as 8, 64k or 1M");
    EXPECT_EQ(refusal("8:1:auto"), "the range '8:1:auto' runs backwards; give the smaller size first");
}

TEST(ProcessGrid, TakesNumbersAndRanges) {
    const auto grid = process_grid({"24", "2:16", "6", "4"});
    EXPECT_THAT(grid.values, ElementsAre(2, 4, 6, 8, 16, 24));
    EXPECT_THAT(grid.refined, IsEmpty());
    EXPECT_THAT(process_grid({}).values, IsEmpty());
}

TEST(ProcessGrid, AlwaysIncludesTheEndOfARange) {
    EXPECT_THAT(process_grid({"3:20"}).values, ElementsAre(3, 6, 12, 20));
}

TEST(ProcessGrid, MayBeRefined) {
    const auto grid = process_grid({"2:48:auto"});
    EXPECT_THAT(grid.values, ElementsAre(2, 4, 8, 16, 32, 48));
    EXPECT_THAT(grid.refined, ElementsAre(RefinedRange{2, 48}));
}

TEST(ProcessGrid, RefusesWhatIsNoCount) {
    const auto process_refusal = [](const std::string& text) {
        return refusal_of([&] { process_grid({text}); });
    };
    for (const std::string text :
         {"0", "-4", "2k", "1.5", "10000001", "2:x", "x:2", "99999999999999999999"}) {
        EXPECT_EQ(process_refusal(text), "give a number from 1 to 10000000, or several as 2,4,8 or 2:64")
            << text;
    }
    EXPECT_EQ(process_refusal("2-8"), "write the range as 2:8, which doubles");
    EXPECT_EQ(process_refusal("8:2"), "the range '8:2' runs backwards; give the smaller count first");
    EXPECT_EQ(
        process_refusal("2:8:3"),
        "'2:8:3' is not a range of process counts; give FIRST:LAST such as 2:64, 2:64:auto, 2:64:+STEP or "
        "2:64:*FACTOR");
    EXPECT_EQ(process_refusal("10000000"), "nothing was refused");
}

}  // namespace
}  // namespace fathom::plan
