#include "report/table.hpp"

#include <gtest/gtest.h>

#include "report/terminals.hpp"

namespace fathom::report {
namespace {

using analysis::PointResult;
using Align = Table::Align;

PointResult point(const std::string& operation, std::int64_t size) {
    PointResult result;
    result.key.operation = operation;
    result.key.procs = 64;
    result.key.size = {size};
    result.status = journal::PointStatus::ok;
    return result;
}

TEST(Table, AlignsWordsLeftAndNumbersRight) {
    Table table({{"name", Align::left}, {"count", Align::right}});
    table.add({"a", "1"});
    table.add({"longer", "1000000"});
    EXPECT_EQ(table.text(plain),
              "name      count\n"
              "a             1\n"
              "longer  1000000\n");
}

TEST(Table, EndsARowInFreeTextWithoutWideningColumns) {
    Table table({{"name", Align::left}, {"count", Align::right}, {"more", Align::left}});
    table.add({"a", "1"}, "this did not work, for a reason that takes a while to tell");
    table.add({"b", "2", "x"});
    EXPECT_EQ(table.text(plain),
              "name  count  more\n"
              "a         1  this did not work, for a reason that takes a while to tell\n"
              "b         2  x\n");
}

TEST(Table, LeavesNoBlanksAtTheEndOfALine) {
    Table table({{"a", Align::left}, {"wide title", Align::left}});
    table.add({"x", ""});
    table.add({"", ""});
    EXPECT_EQ(table.text(plain), "a  wide title\nx\n\n");
}

TEST(Table, PaintsItsTitleWhereThereIsColour) {
    Table table({{"a", Align::left}});
    table.add({"x"});
    EXPECT_EQ(table.text(colourful), "\x1b[1ma\x1b[0m\nx\n");
}

TEST(Table, PaintsWhatIsLeftOfAText) {
    Table table({{"a", Align::left}});
    table.add({"x\n\x1b[2J"}, "no\u202e\x1b[0m", Ink::red);
    EXPECT_EQ(table.text(plain), "a\nx\\n\\x1b[2J  no\\u202e\\x1b[0m\n");
    EXPECT_EQ(table.text(colourful), "\x1b[1ma\x1b[0m\nx\\n\\x1b[2J  \x1b[31mno\\u202e\\x1b[0m\x1b[0m\n");
}

TEST(Table, CutsCellsThatWouldTearItApart) {
    Table table({{"a", Align::left}, {"b", Align::left}});
    table.add({std::string(10'000, 'x'), "y"}, std::string(10'000, 'z'));
    EXPECT_LT(table.text(plain).size(), 3'000U);
}

constexpr Terminal narrow{.table_columns = 30};

TEST(Table, LosesTheLeastColumnsFirstWhereTheTerminalIsNarrow) {
    Table table({{"name", Align::left},
                 {"count", Align::right, 2},
                 {"seldom", Align::right, 1},
                 {"time", Align::right}});
    table.add({"allreduce", "123456", "7", "1.00 us"});
    EXPECT_EQ(table.text(narrow),
              "name       seldom     time\n"
              "allreduce       7  1.00 us\n"
              "(--wide also shows count.)\n");
    EXPECT_EQ(table.text(plain),
              "name        count  seldom     time\n"
              "allreduce  123456       7  1.00 us\n")
        << "what is no terminal gets everything";
}

TEST(Table, FoldsTextsWhereTheTerminalIsNarrow) {
    Table table({{"name", Align::left}, {"what it is", Align::left, 0, true}});
    table.add({"a", "words that do not fit on one line"});
    table.add({"b", "few"});
    EXPECT_EQ(table.text(narrow),
              "name  what it is\n"
              "a     words that do not fit on\n"
              "      one line\n"
              "b     few\n");
}

TEST(Table, FoldsFreeTextsBehindARow) {
    Table table({{"name", Align::left}, {"count", Align::right}});
    table.add({"a"}, "failed: for a reason that takes a while", Ink::red);
    EXPECT_EQ(table.text(narrow),
              "name  count\n"
              "a     failed: for a reason\n"
              "      that takes a while\n");
}

TEST(PointsTable, ShowsTimesWithTheirUncertainty) {
    auto measured = point("allreduce", 256 * 1024);
    measured.reps = 4120;
    measured.invalid_reps = 10;
    measured.time_ns = stats::Summary{.count = 4120,
                                      .median = 5610,
                                      .median_ci95 = stats::Interval{5580, 5660},
                                      .min = 5100,
                                      .mean = 6000,
                                      .p99 = 12'300,
                                      .max = 1'234'000};
    measured.value_ns = stats::Reduced{5610, stats::Interval{5580, 5660}};
    measured.rate_bytes_per_s = 91.98e9;
    measured.start_skew_median_ns = 38;
    auto barrier = point("barrier", 0);
    barrier.reps = 3;
    barrier.time_ns = stats::Summary{
        .count = 3, .median = 900, .median_ci95 = {}, .min = 800, .mean = 900, .p99 = 950, .max = 990};
    barrier.value_ns = stats::Reduced{900, std::nullopt};
    EXPECT_EQ(
        points_table({measured, barrier}, plain),
        "operation  procs    bytes   reps   median     95% interval      min      p99      max   skew       "
        "rate\n"
        "allreduce     64  256 KiB  4 120  5.61 us  5.58 .. 5.66 us  5.10 us  12.3 us  1234 us  38 ns  92.0 "
        "GB/s\n"
        "barrier       64        -      3   900 ns          too few   800 ns   950 ns   990 ns      -\n");
}

TEST(PointsTable, CallsRepetitionsFewOnlyWhereTheyAre) {
    auto many = point("bcast", 8);
    many.time_ns = stats::Summary{
        .count = 500, .median = 900, .median_ci95 = {}, .min = 800, .mean = 900, .p99 = 950, .max = 990};
    many.value_ns = stats::Reduced{900, std::nullopt};
    const auto text = points_table({many}, plain);
    EXPECT_NE(text.find("  none  "), std::string::npos) << text;
    EXPECT_EQ(text.find("too few"), std::string::npos) << text;
}

TEST(PointsTable, SaysWhyAPointHasNoResult) {
    auto failed = point("bcast", 8);
    failed.status = journal::PointStatus::failed;
    failed.reason = "rank 17 on node c3 died (signal 11)";
    EXPECT_EQ(points_table({failed}, plain),
              "operation  procs  bytes  reps  median  95% interval  min  p99  max  skew  rate\n"
              "bcast         64    8 B  failed: rank 17 on node c3 died (signal 11)\n");
    EXPECT_NE(
        points_table({failed}, colourful).find("\x1b[31mfailed: rank 17 on node c3 died (signal 11)\x1b[0m"),
        std::string::npos);
}

TEST(PointsTable, SaysWhyAPointWithoutAStoredReasonHasNoResult) {
    auto none = point("bcast", 8);
    EXPECT_NE(points_table({none}, plain).find("ok: no valid repetition"), std::string::npos);
    none.no_times = analysis::NoTimes::ranks_left_out;
    EXPECT_NE(points_table({none}, plain).find("ok: none of --ranks takes part in the operation"),
              std::string::npos);
}

TEST(PointsTable, DoesNotShowTheTimesOfAFailedPoint) {
    auto failed = point("bcast", 8);
    failed.status = journal::PointStatus::failed;
    failed.reason = "wrong data";
    failed.time_ns = stats::Summary{
        .count = 3, .median = 900, .median_ci95 = {}, .min = 800, .mean = 900, .p99 = 950, .max = 990};
    failed.value_ns = stats::Reduced{900, std::nullopt};
    EXPECT_EQ(points_table({failed}, plain).find("900 ns"), std::string::npos);
}

/// A measured point whose times are all 100 ns but for its value.
PointResult measured_point(const std::string& operation, std::int64_t size, double value) {
    auto result = point(operation, size);
    result.reps = 10;
    result.over_ranks = plan::OverRanks::max;
    result.over_reps = "median";
    result.time_ns = stats::Summary{
        .count = 10, .median = 100, .median_ci95 = {}, .min = 100, .mean = 100, .p99 = 100, .max = 100};
    result.value_ns = stats::Reduced{value, std::nullopt};
    return result;
}

TEST(PointsTable, NamesWhatTheRepetitionsComeTo) {
    auto first = measured_point("bcast", 8, 250);
    first.over_reps = "p99.9";
    EXPECT_EQ(points_table({first}, plain),
              "operation  procs  bytes  reps   p99.9  95% interval     min     p99     max  skew  rate\n"
              "bcast         64    8 B    10  250 ns       too few  100 ns  100 ns  100 ns     -\n");
    const auto second = measured_point("bcast", 16, 300);
    EXPECT_EQ(points_table({first, second, first}, plain).substr(0, 40),
              "operation  procs  bytes  reps   value  9")
        << "where it is not the same for all";
}

TEST(PointsTable, NamesTheSchemeWhereThereAreSeveral) {
    auto own = measured_point("bcast", 8, 250);
    own.key.scheme = "fathom";
    auto other = measured_point("bcast", 8, 300);
    other.key.scheme = "as-imb";
    EXPECT_EQ(
        points_table({own, other}, plain),
        "operation  scheme  procs  bytes  reps  median  95% interval     min     p99     max  skew  rate\n"
        "bcast      fathom     64    8 B    10  250 ns       too few  100 ns  100 ns  100 ns     -\n"
        "bcast      as-imb     64    8 B    10  300 ns       too few  100 ns  100 ns  100 ns     -\n");
}

TEST(PointsTable, CountsTheLaunchesWhereThereAreSeveral) {
    auto twice = measured_point("bcast", 8, 250);
    twice.launches = analysis::Launches{{240, 260}, 1, 2, {}, {}};
    twice.launch_counts.used = 2;
    const auto once = measured_point("bcast", 16, 300);
    EXPECT_EQ(
        points_table({twice, once}, plain),
        "operation  procs  bytes  reps  launches  median  95% interval     min     p99     max  skew  rate\n"
        "bcast         64    8 B    10         2  250 ns       too few  100 ns  100 ns  100 ns     -\n"
        "bcast         64   16 B    10         1  300 ns       too few  100 ns  100 ns  100 ns     -\n");
}

TEST(PointsTable, HasARowARankWhereEachCounts) {
    auto each = measured_point("bcast", 8, 250);
    each.over_ranks = plan::OverRanks::each;
    each.rate_bytes_per_s = 32e6;
    each.start_skew_median_ns = 5;
    for (const int rank : {0, 3}) {
        each.by_rank.push_back(
            {.rank = rank, .time_ns = *each.time_ns, .value_ns = {200.0 + rank, std::nullopt}});
    }
    const auto other = measured_point("bcast", 16, 300);
    EXPECT_EQ(
        points_table({each, other}, plain),
        "operation  procs  bytes  rank  reps  median  95% interval     min     p99     max  skew       rate\n"
        "bcast         64    8 B     0    10  200 ns       too few  100 ns  100 ns  100 ns\n"
        "bcast         64    8 B     3    10  203 ns       too few  100 ns  100 ns  100 ns\n"
        "bcast         64    8 B   max    10  250 ns       too few  100 ns  100 ns  100 ns  5 ns  32.0 MB/s\n"
        "bcast         64   16 B   max    10  300 ns       too few  100 ns  100 ns  100 ns     -\n");
}

TEST(PointsTable, SaysSoWhereNoRepetitionIsValid) {
    auto empty = measured_point("bcast", 8, 250);
    empty.time_ns.reset();
    empty.value_ns.reset();
    EXPECT_NE(points_table({empty}, plain).find("8 B  ok: no valid repetition"), std::string::npos);
}

}  // namespace
}  // namespace fathom::report
