#include "analysis/repetitions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/sample_clock.hpp"
#include "store/sample_store.hpp"

namespace fathom::analysis {
namespace {

using testing::block_of;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::point_spec;
using testing::samples_of;
using testing::SampleStore;

class RepetitionsOf : public ::testing::Test {
  protected:
    void SetUp() override {
        sample.put(
            0, {block_of(0, 0, samples_of({10, 20, 30, 40})), block_of(1, 0, samples_of({40, 30, 20, 10})),
                block_of(2, 0, samples_of({25, 25, 25, 25}))});
    }
    [[nodiscard]] Repetitions over(const std::string& over_ranks, const RankSet& ranks = {}) const {
        return repetitions_of(sample.store, sample.store.point(sample.run, 0), clock, over_ranks, ranks);
    }

    SampleStore sample{{point_spec(0, "bcast", 8, 3)}};
    GlobalTime clock{{}};
};

TEST_F(RepetitionsOf, MayCountAsTheSlowestRank) {
    EXPECT_THAT(over("max").times, ElementsAre(40, 30, 30, 40));
}

TEST_F(RepetitionsOf, MayCountAsTheFastestRank) {
    EXPECT_THAT(over("min").times, ElementsAre(10, 20, 20, 10));
}

TEST_F(RepetitionsOf, MayCountAsTheMeanOfRanks) {
    EXPECT_THAT(over("mean").times, ElementsAre(25, 25, 25, 25));
}

TEST_F(RepetitionsOf, MayCountAsRank0) {
    EXPECT_THAT(over("root").times, ElementsAre(10, 20, 30, 40));
}

TEST_F(RepetitionsOf, MayCountForEachRankItself) {
    const auto found = over("each");
    EXPECT_THAT(found.by_rank,
                ElementsAre(Pair(0, ElementsAre(10, 20, 30, 40)), Pair(1, ElementsAre(40, 30, 20, 10)),
                            Pair(2, ElementsAre(25, 25, 25, 25))));
    EXPECT_THAT(found.times, ElementsAre(40, 30, 30, 40)) << "all of them as the slowest";
    EXPECT_THAT(over("max").by_rank, IsEmpty());
}

TEST_F(RepetitionsOf, MayBeThoseOfSomeRanksOnly) {
    const auto some = RankSet::parse("1-2");
    EXPECT_THAT(over("max", some).times, ElementsAre(40, 30, 25, 25));
    EXPECT_THAT(over("min", some).times, ElementsAre(25, 25, 20, 10));
    EXPECT_THAT(over("mean", some).times, ElementsAre(32.5, 27.5, 22.5, 17.5));
    EXPECT_THAT(over("root", some).times, IsEmpty()) << "rank 0 is not among them";
    EXPECT_THAT(over("each", some).by_rank,
                ElementsAre(Pair(1, ElementsAre(40, 30, 20, 10)), Pair(2, ElementsAre(25, 25, 25, 25))));
    EXPECT_THAT(over("max", RankSet::parse("7")).times, IsEmpty());
}

TEST_F(RepetitionsOf, SpanFromTheFirstStartToTheLastEndOnTheGlobalClock) {
    // Own clocks: rank 1 is 5000 ns ahead. Globally it starts 3 ns later, rank 2 at the same time as rank 0.
    const auto at = [](std::int64_t start, std::int64_t duration) {
        return journal::Sample{.start = {start}, .duration = {duration}, .valid = true};
    };
    sample.put(
        0, {block_of(0, 0, {at(1'000, 10), at(2'000, 50)}), block_of(1, 0, {at(6'003, 10), at(7'003, 10)}),
            block_of(2, 0, {at(1'000, 4), at(2'000, 4)})});
    clock = GlobalTime({testing::sync_of(0, 0, 0, 0, 0), testing::sync_of(0, 1, 5'000, 5'000, 0),
                        testing::sync_of(0, 2, 0, 0, 0), testing::sync_of(1, 0, 10'000, 0, 0),
                        testing::sync_of(1, 1, 15'000, 5'000, 0), testing::sync_of(1, 2, 10'000, 0, 0)});
    EXPECT_THAT(over("span").times, ElementsAre(13, 50));
    EXPECT_THAT(over("span").skews, ElementsAre(3, 3));
    EXPECT_THAT(over("span", RankSet::parse("0,2")).times, ElementsAre(10, 50));
    EXPECT_THAT(over("span", RankSet::parse("0,2")).skews, ElementsAre(0, 0));
    EXPECT_THAT(over("span", RankSet::parse("1")).times, ElementsAre(10, 10));
}

TEST_F(RepetitionsOf, HaveNoSpanWithoutAGlobalClock) {
    EXPECT_THAT(over("span").times, IsEmpty());
    EXPECT_THAT(over("max").skews, IsEmpty());
}

TEST_F(RepetitionsOf, DoNotCountWhereOneRankSaysTheyAreInvalid) {
    auto second = samples_of({40, 30, 20, 10});
    second[2].valid = false;
    sample.put(0, {block_of(0, 0, samples_of({10, 20, 30, 40})), block_of(1, 0, second),
                   block_of(2, 0, samples_of({25, 25, 25, 25}))});
    EXPECT_THAT(over("max").times, ElementsAre(40, 30, 40));
    EXPECT_THAT(over("min").times, ElementsAre(10, 20, 10));
    EXPECT_THAT(over("mean").times, ElementsAre(25, 25, 25));
    EXPECT_THAT(over("root").times, ElementsAre(10, 20, 40));
    EXPECT_THAT(over("each").by_rank,
                ElementsAre(Pair(0, ElementsAre(10, 20, 40)), Pair(1, ElementsAre(40, 30, 10)),
                            Pair(2, ElementsAre(25, 25, 25))));
    for (const auto* way : {"max", "min", "mean", "root", "each", "span"}) {
        EXPECT_EQ(over(way).invalid, 1) << way;
    }
}

TEST_F(RepetitionsOf, ComeWithoutTheCostOfTimeStampsRankByRank) {
    sample.store.put(sample.job, journal::RankInfo{0, "h0", 10, "0", 10});
    sample.store.put(sample.job, journal::RankInfo{1, "h0", 11, "1", 25});
    EXPECT_THAT(over("root").times, ElementsAre(0, 10, 20, 30));
    EXPECT_THAT(over("max").times, ElementsAre(25, 25, 25, 30));
    EXPECT_THAT(over("each").by_rank.at(1), ElementsAre(15, 5, 0, 0));
}

TEST_F(RepetitionsOf, CountAsOneCallOfARow) {
    sample.put({.index = 0, .status = "ok", .calls = 10},
               {block_of(0, 0, samples_of({100, 250})), block_of(1, 0, samples_of({50, 300}))}, sample.job);
    EXPECT_THAT(over("max").times, ElementsAre(10, 30));
    EXPECT_THAT(over("mean").times, ElementsAre(7.5, 27.5));
    EXPECT_THAT(over("each").by_rank.at(0), ElementsAre(10, 25));
    clock = GlobalTime({}, true);
    EXPECT_THAT(over("span").times, ElementsAre(10, 30));
}

TEST_F(RepetitionsOf, KnowFromWhenToWhenEveryRankMeasured) {
    const auto found = over("max");
    ASSERT_EQ(found.spans.size(), 3U);
    EXPECT_EQ(found.spans.at(1).first, Nanoseconds{1'000});
    EXPECT_EQ(found.spans.at(1).second, Nanoseconds{4'000});
    EXPECT_EQ(over("max", RankSet::parse("1")).spans.size(), 1U);
}

TEST_F(RepetitionsOf, OfNothingAreNone) {
    sample.put(0, {});
    for (const auto* way : {"max", "min", "mean", "root", "each", "span"}) {
        EXPECT_THAT(over(way).times, IsEmpty()) << way;
    }
}

}  // namespace
}  // namespace fathom::analysis
