#include "report/table.hpp"

#include <gtest/gtest.h>

namespace fathom::report {
namespace {

using analysis::PointResult;
using Align = Table::Align;

constexpr Terminal plain{};
constexpr Terminal colourful{.interactive = true, .colour = true, .columns = 80};

PointResult point(const std::string& operation, std::int64_t size) {
    PointResult result;
    result.operation = operation;
    result.procs = 64;
    result.size = {size};
    result.status = "ok";
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
        "allreduce     64  256 KiB  4 120  5.61 us  5.58 .. 5.66 us  5.10 us  12.3 us  1.23 ms  38 ns  92.0 "
        "GB/s\n"
        "barrier       64        -      3   900 ns                -   800 ns   950 ns   990 ns      -\n");
}

TEST(PointsTable, SaysWhyAPointHasNoResult) {
    auto failed = point("bcast", 8);
    failed.status = "failed";
    failed.reason = "rank 17 on node c3 died (signal 11)";
    EXPECT_EQ(points_table({failed}, plain),
              "operation  procs  bytes  reps  median  95% interval  min  p99  max  skew  rate\n"
              "bcast         64    8 B  failed: rank 17 on node c3 died (signal 11)\n");
    EXPECT_NE(
        points_table({failed}, colourful).find("\x1b[31mfailed: rank 17 on node c3 died (signal 11)\x1b[0m"),
        std::string::npos);
}

TEST(PointsTable, DoesNotShowTheTimesOfAFailedPoint) {
    auto failed = point("bcast", 8);
    failed.status = "failed";
    failed.reason = "wrong data";
    failed.time_ns = stats::Summary{
        .count = 3, .median = 900, .median_ci95 = {}, .min = 800, .mean = 900, .p99 = 950, .max = 990};
    failed.value_ns = stats::Reduced{900, std::nullopt};
    EXPECT_EQ(points_table({failed}, plain).find("900 ns"), std::string::npos);
}

}  // namespace
}  // namespace fathom::report
