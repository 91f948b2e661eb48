#include <gmock/gmock.h>

#include "journal/json.hpp"
#include "report/point_analyses/measured_point.hpp"
#include "report/terminals.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;

/// 100 repetitions of 1000 to 1099 ns, one every 10 us; in that at place 30 rank 1 takes 50 us, in that at
/// place 70 rank 0 takes 20 us.
MeasuredPoint with_two_outliers() {
    std::vector<double> first;
    std::vector<double> second;
    MeasuredPoint measured({});
    auto& reps = measured.repetitions;
    for (int i = 0; i < 100; ++i) {
        first.push_back(i == 70 ? 20'000 : 900 + i);
        second.push_back(i == 30 ? 50'000 : 1'000 + i);
        reps.times.push_back(std::max(first.back(), second.back()));
        const Nanoseconds begin{500 + 10'000 * std::int64_t{i} + (i > 30 ? 50'000 : 0)};
        reps.when.push_back(
            {.start = 0, .begin = begin, .end = begin + Nanoseconds{std::int64_t(reps.times.back())}});
    }
    reps.last_ranks.assign(reps.times.size(), 1);
    reps.by_rank = {{0, first}, {1, second}};
    reps.begins = {0};
    measured.evidence.hosts = {{0, "h1"}, {1, "h2"}};
    return measured;
}

/// What rank 1 was told after the slow repetition: of itself, and of its host's network.
void count(MeasuredPoint& measured) {
    const auto& slow = measured.repetitions.when[30];
    measured.evidence.counted = true;
    measured.evidence.windows = {
        {.rank = 1,
         .when = {.start = 0, .begin = slow.begin - Nanoseconds{100}, .end = slow.end + Nanoseconds{100}},
         .counts = {.preempted = 1, .tcp_timeouts = 2, .waited_ns = 40'000}},
        {.rank = 0,
         .when = {.start = 0, .begin = slow.end + Nanoseconds{100}, .end = slow.end + Nanoseconds{200}},
         .counts = {.preempted = 7}}};
}

TEST(OutliersJson, ListsThoseBeyondTheFenceTheSlowestFirst) {
    auto measured = with_two_outliers();
    const auto json = outliers_json(measured.samples());
    EXPECT_EQ(json.at("reps"), 100);
    EXPECT_EQ(json.at("count"), 2);
    EXPECT_GT(json.at("fence_ns"), 1'099);
    EXPECT_LT(json.at("fence_ns"), 20'000);
    EXPECT_EQ(json.at("median_ns"), 1'050.5);
    EXPECT_EQ(json.at("outliers").at(0), ordered_json({{"launch", 0},
                                                       {"repetition", 30},
                                                       {"rank", 1},
                                                       {"host", "h2"},
                                                       {"time_ns", 50'000.0},
                                                       {"start_ns", 300'000.0},
                                                       {"counted", nullptr}}));
    EXPECT_EQ(json.at("outliers").at(1).at("repetition"), 70);
    EXPECT_EQ(json.at("outliers").at(1).at("rank"), 0);
    EXPECT_EQ(json.at("outliers").at(1).at("start_ns"), 750'000.0);
    EXPECT_FALSE(json.contains("ranks"));
}

TEST(OutliersJson, HasWhatWasCountedMeanwhileOnAnyRank) {
    auto measured = with_two_outliers();
    count(measured);
    const auto found = outliers_json(measured.samples()).at("outliers");
    EXPECT_EQ(
        found.at(0).at("counted"),
        ordered_json::array(
            {{{"rank", 1}, {"host", "h2"}, {"preempted", 1}, {"tcp_timeouts", 2}, {"waited_ns", 40'000}}}));
    EXPECT_EQ(found.at(1).at("counted"), ordered_json::array());
}

TEST(OutliersJson, NumbersRepetitionsInTheirLaunch) {
    auto measured = with_two_outliers();
    measured.repetitions.begins = {0, 60};
    for (std::size_t i = 60; i < 100; ++i) {
        measured.repetitions.when[i].start = 1;
    }
    const auto found = outliers_json(measured.samples()).at("outliers");
    EXPECT_EQ(found.at(0).at("launch"), 0);
    EXPECT_EQ(found.at(0).at("repetition"), 30);
    EXPECT_EQ(found.at(1).at("launch"), 1);
    EXPECT_EQ(found.at(1).at("repetition"), 10);
    EXPECT_EQ(found.at(1).at("start_ns"), 100'000.0) << "after the first one of its launch";
    EXPECT_THAT(outliers_text(measured.samples(), plain), HasSubstr("launch  repetition  rank"));
}

TEST(OutliersJson, IsOfEachRankWhereEachCounts) {
    auto measured = with_two_outliers();
    measured.point.over_ranks = plan::OverRanks::each;
    const auto ranks = outliers_json(measured.samples()).at("ranks");
    ASSERT_EQ(ranks.size(), 2U);
    EXPECT_EQ(ranks.at(0).at("rank"), 0);
    EXPECT_EQ(ranks.at(0).at("count"), 1);
    EXPECT_EQ(ranks.at(0).at("median_ns"), 949.5);
    EXPECT_EQ(ranks.at(0).at("outliers").at(0).at("repetition"), 70);
    EXPECT_EQ(ranks.at(1).at("outliers").at(0).at("repetition"), 30);
    EXPECT_THAT(outliers_text(measured.samples(), plain), HasSubstr("\nrank 1\n  1 of 100 repetitions"));
}

TEST(OutliersJson, LeavesOpenWhatIsNotKnown) {
    auto measured = with_two_outliers();
    measured.repetitions.when.clear();              // no global clock
    measured.repetitions.by_rank.at(1).pop_back();  // not part of every repetition
    const auto found = outliers_json(measured.samples()).at("outliers").at(0);
    EXPECT_EQ(found.at("repetition"), 30);
    EXPECT_TRUE(found.at("rank").is_null());
    EXPECT_TRUE(found.at("host").is_null());
    EXPECT_TRUE(found.at("start_ns").is_null());
}

TEST(OutliersText, IsATableThatSaysWhatWasCounted) {
    auto measured = with_two_outliers();
    EXPECT_THAT(outliers_text(measured.samples(), plain), HasSubstr("No counters were read."));
    count(measured);
    const auto text = outliers_text(measured.samples(), plain);
    EXPECT_THAT(text, HasSubstr("2 of 100 repetitions took longer than "));
    EXPECT_THAT(text, HasSubstr("the outlier fence; the median\n  is 1.05 us."));
    EXPECT_THAT(text, HasSubstr("30     1  50.0 us        48  300 us  rank 1: preempted 1, waited 40.0 us; "
                                "host h2: TCP timeouts 2\n"));
    EXPECT_THAT(text, Not(HasSubstr("launch")));
    EXPECT_THAT(text, Not(HasSubstr("more")));
}

TEST(OutliersText, OfAPointWithoutAnyIsALine) {
    MeasuredPoint measured(std::vector<double>(50, 1'000));
    EXPECT_EQ(outliers_text(measured.samples(), plain), "  None of 50 repetitions is an outlier.\n");
    EXPECT_EQ(outliers_json(measured.samples()).at("outliers"), ordered_json::array());
}

TEST(OutliersText, ListsTheTwentySlowest) {
    std::vector<double> times;
    for (int i = 0; i < 1'000; ++i) {
        times.push_back(i % 40 == 7 ? 1e6 + i : 1'000 + i % 100);
    }
    MeasuredPoint measured(times);
    const auto text = outliers_text(measured.samples(), plain);
    EXPECT_THAT(text, HasSubstr("25 of 1 000 repetitions"));
    EXPECT_THAT(text, HasSubstr("  5 more; --json lists all.\n"));
    EXPECT_THAT(text, HasSubstr(" 967 "));
    EXPECT_THAT(text, Not(HasSubstr(" 167 "))) << "the sixth in time is the 21st in length";
    EXPECT_EQ(outliers_json(measured.samples()).at("outliers").size(), 25U);
    const auto of_many = outliers_text(measured.samples(), plain, {.alone = false});
    EXPECT_THAT(of_many, HasSubstr("25 of 1 000 repetitions"));
    EXPECT_THAT(of_many, HasSubstr(" 887 ")) << "the third";
    EXPECT_THAT(of_many, Not(HasSubstr(" 847 ")));
    EXPECT_THAT(of_many,
                HasSubstr("  22 more; --op and --size select a point to list 20, --json lists all.\n"));
}

}  // namespace
}  // namespace fathom::report
