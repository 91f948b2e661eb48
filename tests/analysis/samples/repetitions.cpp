#include "analysis/samples/repetitions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/sample_clock.hpp"
#include "store/sample_store.hpp"

namespace fathom::analysis {
namespace {

using plan::OverRanks;
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
    [[nodiscard]] Repetitions over(OverRanks over_ranks, const RankSet& ranks = {}) const {
        return repetitions_of(sample.store, sample.store.point(sample.run, 0), clock,
                              {.over_ranks = over_ranks, .ranks = ranks});
    }

    SampleStore sample{{point_spec(0, "bcast", 8, 3)}};
    GlobalTime clock{{}};
};

TEST_F(RepetitionsOf, MayCountAsTheSlowestRank) {
    EXPECT_THAT(over(OverRanks::max).times, ElementsAre(40, 30, 30, 40));
}

TEST_F(RepetitionsOf, MayCountAsTheFastestRank) {
    EXPECT_THAT(over(OverRanks::min).times, ElementsAre(10, 20, 20, 10));
}

TEST_F(RepetitionsOf, MayCountAsTheMeanOfRanks) {
    EXPECT_THAT(over(OverRanks::mean).times, ElementsAre(25, 25, 25, 25));
}

TEST(RepetitionsOfGroups, CountAsTheSlowestRoot) {
    SampleStore sample({point_spec(0, "bcast", 8, 2)}, "groups", "", 6);
    sample.put(0, {block_of(1, 0, samples_of({10, 40})), block_of(3, 0, samples_of({99, 99})),
                   block_of(4, 0, samples_of({30, 20})), block_of(5, 0, samples_of({99, 99}))});
    const auto found = repetitions_of(sample.store, sample.store.point(sample.run, 0), GlobalTime({}),
                                      {.over_ranks = OverRanks::root, .ranks = {}});
    EXPECT_THAT(found.times, ElementsAre(30, 40));
}

TEST_F(RepetitionsOf, MayCountAsTheMedianOfRanks) {
    sample.put(0, {block_of(0, 0, samples_of({10, 90})), block_of(1, 0, samples_of({20, 80})),
                   block_of(2, 0, samples_of({60, 10}))});
    EXPECT_THAT(over(OverRanks::median).times, ElementsAre(20, 80));
    EXPECT_THAT(over(OverRanks::median, RankSet::parse("0,2")).times, ElementsAre(35, 50));
}

TEST_F(RepetitionsOf, MayCountAsRank0) {
    EXPECT_THAT(over(OverRanks::root).times, ElementsAre(10, 20, 30, 40));
}

TEST_F(RepetitionsOf, MayCountForEachRankItself) {
    const auto found = over(OverRanks::each);
    EXPECT_THAT(found.by_rank,
                ElementsAre(Pair(0, ElementsAre(10, 20, 30, 40)), Pair(1, ElementsAre(40, 30, 20, 10)),
                            Pair(2, ElementsAre(25, 25, 25, 25))));
    EXPECT_THAT(found.times, ElementsAre(40, 30, 30, 40)) << "all of them as the slowest";
    EXPECT_THAT(over(OverRanks::max).by_rank, IsEmpty());
}

TEST_F(RepetitionsOf, MayBeThoseOfSomeRanksOnly) {
    const auto some = RankSet::parse("1-2");
    EXPECT_THAT(over(OverRanks::max, some).times, ElementsAre(40, 30, 25, 25));
    EXPECT_THAT(over(OverRanks::min, some).times, ElementsAre(25, 25, 20, 10));
    EXPECT_THAT(over(OverRanks::mean, some).times, ElementsAre(32.5, 27.5, 22.5, 17.5));
    EXPECT_THAT(over(OverRanks::root, some).times, IsEmpty()) << "rank 0 is not among them";
    EXPECT_THAT(over(OverRanks::each, some).by_rank,
                ElementsAre(Pair(1, ElementsAre(40, 30, 20, 10)), Pair(2, ElementsAre(25, 25, 25, 25))));
    EXPECT_THAT(over(OverRanks::max, RankSet::parse("7")).times, IsEmpty());
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
    EXPECT_THAT(over(OverRanks::span).times, ElementsAre(13, 50));
    EXPECT_THAT(over(OverRanks::span).skews, ElementsAre(3, 3));
    EXPECT_THAT(over(OverRanks::span, RankSet::parse("0,2")).times, ElementsAre(10, 50));
    EXPECT_THAT(over(OverRanks::span, RankSet::parse("0,2")).skews, ElementsAre(0, 0));
    EXPECT_THAT(over(OverRanks::span, RankSet::parse("1")).times, ElementsAre(10, 10));
}

TEST_F(RepetitionsOf, NameNobodyWhereSeveralEndLast) {
    sample.put(0, {block_of(0, 0, samples_of({10, 20, 30})), block_of(1, 0, samples_of({10, 30, 20})),
                   block_of(2, 0, samples_of({5, 30, 10}))});
    EXPECT_THAT(over(OverRanks::max).last_ranks, ElementsAre(-1, -1, 0));
    // Clocks that may be off by 15 ns leave it open who was 10 ns later.
    clock = GlobalTime({testing::sync_of(0, 0, 0, 0, 0), testing::sync_of(0, 1, 0, 0, 15),
                        testing::sync_of(0, 2, 0, 0, 0), testing::sync_of(1, 0, 10'000, 0, 0),
                        testing::sync_of(1, 1, 10'000, 0, 15), testing::sync_of(1, 2, 10'000, 0, 0)});
    EXPECT_THAT(over(OverRanks::max).last_ranks, ElementsAre(-1, -1, -1));
}

TEST_F(RepetitionsOf, HaveNoSpanWithoutAGlobalClock) {
    EXPECT_THAT(over(OverRanks::span).times, IsEmpty());
    EXPECT_THAT(over(OverRanks::max).skews, IsEmpty());
}

TEST_F(RepetitionsOf, DoNotCountWhereOneRankSaysTheyAreInvalid) {
    auto second = samples_of({40, 30, 20, 10});
    second[2].valid = false;
    sample.put(0, {block_of(0, 0, samples_of({10, 20, 30, 40})), block_of(1, 0, second),
                   block_of(2, 0, samples_of({25, 25, 25, 25}))});
    EXPECT_THAT(over(OverRanks::max).times, ElementsAre(40, 30, 40));
    EXPECT_THAT(over(OverRanks::min).times, ElementsAre(10, 20, 10));
    EXPECT_THAT(over(OverRanks::mean).times, ElementsAre(25, 25, 25));
    EXPECT_THAT(over(OverRanks::root).times, ElementsAre(10, 20, 40));
    EXPECT_THAT(over(OverRanks::each).by_rank,
                ElementsAre(Pair(0, ElementsAre(10, 20, 40)), Pair(1, ElementsAre(40, 30, 10)),
                            Pair(2, ElementsAre(25, 25, 25))));
    for (const auto way : {OverRanks::max, OverRanks::min, OverRanks::mean, OverRanks::root, OverRanks::each,
                           OverRanks::span}) {
        EXPECT_EQ(over(way).invalid, 1) << to_text(way);
    }
}

TEST_F(RepetitionsOf, ComeWithoutTheCostOfTimeStampsRankByRank) {
    sample.store.put(sample.job, journal::RankInfo{0, "h0", 10, "0", 10});
    sample.store.put(sample.job, journal::RankInfo{1, "h0", 11, "1", 25});
    EXPECT_THAT(over(OverRanks::root).times, ElementsAre(0, 10, 20, 30));
    EXPECT_THAT(over(OverRanks::max).times, ElementsAre(25, 25, 25, 30));
    EXPECT_THAT(over(OverRanks::each).by_rank.at(1), ElementsAre(15, 5, 0, 0));
}

TEST_F(RepetitionsOf, CountAsOneCallOfARow) {
    sample.put({.index = 0, .status = journal::PointStatus::ok, .calls = 10},
               {block_of(0, 0, samples_of({100, 250})), block_of(1, 0, samples_of({50, 300}))}, sample.job);
    EXPECT_THAT(over(OverRanks::max).times, ElementsAre(10, 30));
    EXPECT_THAT(over(OverRanks::mean).times, ElementsAre(7.5, 27.5));
    EXPECT_THAT(over(OverRanks::each).by_rank.at(0), ElementsAre(10, 25));
    clock = GlobalTime({}, true);
    EXPECT_THAT(over(OverRanks::span).times, ElementsAre(10, 30));
}

TEST_F(RepetitionsOf, KnowFromWhenToWhenEveryRankMeasured) {
    const auto found = over(OverRanks::max);
    ASSERT_EQ(found.spans.size(), 3U);
    EXPECT_EQ(found.spans.at(1).first, Nanoseconds{1'000});
    EXPECT_EQ(found.spans.at(1).second, Nanoseconds{4'000});
    EXPECT_EQ(over(OverRanks::max, RankSet::parse("1")).spans.size(), 1U);
}

TEST_F(RepetitionsOf, OfNothingAreNone) {
    sample.put(0, {});
    for (const auto way : {OverRanks::max, OverRanks::min, OverRanks::mean, OverRanks::root, OverRanks::each,
                           OverRanks::span}) {
        EXPECT_THAT(over(way).times, IsEmpty()) << to_text(way);
    }
}

/// Samples with these start times and durations.
std::vector<journal::Sample> stretches(const std::vector<std::pair<std::int64_t, std::int64_t>>& all) {
    std::vector<journal::Sample> samples;
    for (const auto& [start, duration] : all) {
        samples.push_back({.start = {start}, .duration = {duration}, .valid = true});
    }
    return samples;
}

/// All ranks of a simulated job read one clock.
GlobalTime one_clock() {
    return GlobalTime({}, true);
}

class OneWay : public ::testing::Test {
  protected:
    void SetUp() override {
        // Repetition 0: 0 sends to 2 and 1 to 3; repetition 1: the other way.
        sample.put({.index = 0, .status = journal::PointStatus::ok, .pairs = "0-2,1-3"},
                   {block_of(0, 0, stretches({{1000, 5}, {2000, 40}})),
                    block_of(1, 0, stretches({{1000, 5}, {2001, 60}})),
                    block_of(2, 0, stretches({{1002, 28}, {2010, 3}})),
                    block_of(3, 0, stretches({{990, 60}, {2000, 3}}))},
                   sample.job);
    }
    [[nodiscard]] Repetitions over(OverRanks over_ranks, const RankSet& ranks = {}) const {
        return repetitions_of(sample.store, sample.store.point(sample.run, 0), one_clock(),
                              {.over_ranks = over_ranks, .ranks = ranks});
    }

    SampleStore sample{{point_spec(0, "pairs", 8, 4)}};
};

TEST_F(OneWay, IsFromTheSendersStartToTheReceiversEnd) {
    EXPECT_THAT(over(OverRanks::max).times, ElementsAre(50, 61));
    EXPECT_THAT(over(OverRanks::min).times, ElementsAre(30, 30));
    EXPECT_THAT(over(OverRanks::mean).times, ElementsAre(40, 45.5));
}

TEST_F(OneWay, IsToldByItsSender) {
    EXPECT_THAT(over(OverRanks::each).by_rank,
                ElementsAre(Pair(0, ElementsAre(30)), Pair(1, ElementsAre(50)), Pair(2, ElementsAre(30)),
                            Pair(3, ElementsAre(61))));
}

TEST_F(OneWay, NeedsBothEnds) {
    EXPECT_THAT(over(OverRanks::mean, RankSet::parse("0,2")).times, ElementsAre(30, 30));
    EXPECT_THAT(over(OverRanks::mean, RankSet::parse("0,1")).times, IsEmpty());
}

TEST_F(OneWay, NeedsAClock) {
    EXPECT_THAT(repetitions_of(sample.store, sample.store.point(sample.run, 0), GlobalTime({}),
                               {.over_ranks = OverRanks::mean, .ranks = {}})
                    .times,
                IsEmpty());
}

TEST(MatrixRepetitions, CountTheFirstOfEachPairAndHalfOfItsTime) {
    auto contended = point_spec(0, "matrix", 8, 3);
    contended.key.pattern = "matrix";  // as in files of before there was another
    SampleStore sample({contended});
    // Of three ranks one is left over in each round: the pairs are 1-2, 0-1, 0-2.
    sample.put(0, {block_of(0, 0, samples_of({1, 20, 30})), block_of(1, 0, samples_of({10, 2, 3})),
                   block_of(2, 0, samples_of({5, 1, 4}))});
    const auto found = repetitions_of(sample.store, sample.store.point(sample.run, 0), GlobalTime({}),
                                      {.over_ranks = OverRanks::mean, .ranks = {}});
    EXPECT_THAT(found.times, ElementsAre(5, 10, 15));
}

TEST(DuplexRepetitions, CountOnlyWhereBothWaysWereUsed) {
    SampleStore sample({point_spec(0, "duplex", 8, 2)});
    sample.put(0,
               {block_of(0, 0, samples_of({20, 11, 22, 13})), block_of(1, 0, samples_of({21, 12, 23, 10}))});
    const auto found = repetitions_of(sample.store, sample.store.point(sample.run, 0), GlobalTime({}),
                                      {.over_ranks = OverRanks::max, .ranks = {}});
    EXPECT_THAT(found.times, ElementsAre(12, 13));
    EXPECT_EQ(found.invalid, 0);
}

TEST(RoundTripRepetitions, MayCountAsAWhole) {
    SampleStore sample({point_spec(0, "pingpong", 8, 2), point_spec(1, "bcast", 8, 2)});
    for (int point = 0; point < 2; ++point) {
        sample.put(point, {block_of(0, 0, samples_of({20, 40})), block_of(1, 0, samples_of({60, 80}))});
    }
    const auto times = [&](int point, plan::RoundTrip round_trip) {
        return repetitions_of(sample.store, sample.store.point(sample.run, point), GlobalTime({}),
                              {.over_ranks = OverRanks::root, .ranks = {}, .round_trip = round_trip})
            .times;
    };
    EXPECT_THAT(times(0, plan::RoundTrip::half), ElementsAre(10, 20));
    EXPECT_THAT(times(0, plan::RoundTrip::whole), ElementsAre(20, 40));
    EXPECT_THAT(times(1, plan::RoundTrip::whole), ElementsAre(20, 40)) << "which has no way back";
}

TEST(RootRepetitions, AreThoseOfTheFirstRankThatTakesPart) {
    SampleStore sample({point_spec(0, "pingpong", 8, 4)});
    sample.put(0, {block_of(1, 0, samples_of({20, 40})), block_of(3, 0, samples_of({60, 80}))});
    const auto found = repetitions_of(sample.store, sample.store.point(sample.run, 0), GlobalTime({}),
                                      {.over_ranks = OverRanks::root, .ranks = {}});
    EXPECT_THAT(found.times, ElementsAre(10, 20));
}

/// Five repetitions of 10 ns, one every 20 ns.
Repetitions five() {
    Repetitions repetitions;
    for (std::int64_t i = 0; i < 5; ++i) {
        repetitions.times.push_back(static_cast<double>(10 + i));
        repetitions.when.push_back({.start = 0, .begin = {20 * i}, .end = {20 * i + 10}});
        repetitions.last_ranks.push_back(static_cast<int>(i));
        repetitions.skews.push_back(static_cast<double>(i));
        repetitions.by_rank[0].push_back(static_cast<double>(i));
    }
    repetitions.by_rank[1] = {1, 2};
    return repetitions;
}

TEST(Without, LeavesOutWhatIsMarkedEverywhere) {
    const auto kept = without(five(), {false, true, true, false, false});
    EXPECT_THAT(kept.times, ElementsAre(10, 13, 14));
    EXPECT_THAT(kept.last_ranks, ElementsAre(0, 3, 4));
    EXPECT_THAT(kept.skews, ElementsAre(0, 3, 4));
    EXPECT_THAT(kept.by_rank.at(0), ElementsAre(0, 3, 4));
    EXPECT_THAT(kept.by_rank.at(1), ElementsAre(1, 2)) << "it does not run parallel to the times";
    EXPECT_EQ(kept.when.size(), 3U);
    EXPECT_EQ(kept.set_aside, 2);
}

}  // namespace
}  // namespace fathom::analysis
