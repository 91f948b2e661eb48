#include "report/csv.hpp"

#include <cstdio>

#include <gtest/gtest.h>

#include "report/written.hpp"
#include "store/sample_store.hpp"
#include "store/sample_study.hpp"

namespace fathom::report {
namespace {

using testing::block_of;
using testing::point_spec;
using testing::SampleStore;
using testing::written;

constexpr const char* point_columns =
    "run,point,operation,pattern,procs,size_bytes,status,reason,reps,invalid_reps,median_ns,"
    "median_ci95_low_"
    "ns,"
    "median_ci95_high_ns,min_ns,mean_ns,p99_ns,max_ns,rate_bytes_per_s,"
    "start_skew_median_ns,clock_bound_ns,scheme,progress,setting,implementation,over_ranks,over_reps,value_"
    "ns,"
    "label,mpi,mpi_"
    "version,"
    "size_as,value_ci95_low_ns,value_ci95_high_ns,quality,set_aside_reps,launches_used,launches\n";

analysis::RunResult run_with(analysis::PointResult point) {
    analysis::RunResult result;
    result.run.id = 7;
    point.position = 3;
    point.key.operation = "bcast";
    point.key.pattern = "all";
    point.key.procs = 4;
    point.key.size = {1024};
    result.points.push_back(std::move(point));
    return result;
}

std::string points_csv(const analysis::RunResult& result) {
    return written([&](std::FILE* out) { write_points_csv(out, result); });
}

TEST(CsvCell, IsQuotedWhereAReaderNeedsIt) {
    EXPECT_EQ(csv_cell("plain text"), "plain text");
    EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
    EXPECT_EQ(csv_cell("a;=b"), "\"a;=b\"") << "where semicolons part cells, too";
    EXPECT_EQ(csv_cell("say \"x\""), "\"say \"\"x\"\"\"");
}

TEST(CsvCell, IsNoFormula) {
    EXPECT_EQ(csv_cell("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
    EXPECT_EQ(csv_cell("+1+cmd"), "'+1+cmd");
    EXPECT_EQ(csv_cell("-2+3"), "'-2+3");
    EXPECT_EQ(csv_cell("@SUM(A1,A2)"), "\"'@SUM(A1,A2)\"");
    EXPECT_EQ(csv_cell("\t=1"), "\\t=1");
    EXPECT_EQ(csv_cell("\r=1"), "\\r=1");
    EXPECT_EQ(csv_cell("\uff1d1"), "'\uff1d1") << "the wide form";
    EXPECT_EQ(csv_cell("a=b"), "a=b");
}

TEST(CsvCell, LeavesNumbersNumbers) {
    for (const auto* number : {"-3.5", "+7", "-1e-9", "0", "-0.5E+3"}) {
        EXPECT_EQ(csv_cell(number), number);
    }
    EXPECT_EQ(csv_cell("-"), "'-");
    EXPECT_EQ(csv_cell("-inf"), "'-inf");
    EXPECT_EQ(csv_cell("-3.5 x"), "'-3.5 x");
}

TEST(CsvCell, HasNothingThatATerminalObeys) {
    EXPECT_EQ(csv_cell("a\nb\x1b[2J\u202e\xff"), "a\\nb\\x1b[2J\\u202e\\xff");
}

TEST(CsvCell, IsTheTextItselfIfRaw) {
    EXPECT_EQ(csv_cell("=1+1", CsvTexts::raw), "=1+1");
    EXPECT_EQ(csv_cell("a\nb\x1b", CsvTexts::raw), "\"a\nb\x1b\"");
}

TEST(PointsCsv, HasARowAPoint) {
    analysis::PointResult point;
    point.status = journal::PointStatus::ok;
    point.reps = 100;
    point.invalid_reps = 1;
    point.time_ns = stats::Summary{.count = 99,
                                   .median = 512.5,
                                   .median_ci95 = stats::Interval{510, 515},
                                   .min = 500,
                                   .mean = 520.25,
                                   .p99 = 600,
                                   .max = 700};
    point.rate_bytes_per_s = 2e9;
    point.start_skew_median_ns = 38;
    point.clock_bound_ns = 4.5;
    point.key.scheme = "as-osu";
    point.key.progress = "thread";
    point.key.setting = "btl=tcp";
    point.key.implementation = "tree:flat";
    point.over_ranks = plan::OverRanks::mean;
    point.over_reps = "p90";
    point.value_ns = stats::Reduced{.value = 590.5, .ci95 = stats::Interval{580, 600}};
    point.quality = analysis::Quality::imprecise;
    point.set_aside = 7;
    point.launch_counts = {.used = 4, .set_aside = 3, .failed = 1};
    EXPECT_EQ(
        points_csv(run_with(point)),
        std::string(point_columns) +
            "7,3,bcast,all,4,1024,ok,,100,1,512.5,510,515,500,520.25,600,700,"
            "2000000000,38,4.5,as-osu,thread,btl=tcp,tree:flat,mean,p90,590.5,,,,,580,600,imprecise,7,4,8\n");
}

TEST(PointsCsv, LeavesCellsEmptyWhereThereIsNoValue) {
    analysis::PointResult point;
    point.status = journal::PointStatus::unavailable;
    point.no_times = analysis::NoTimes::not_measured_yet;
    EXPECT_EQ(points_csv(run_with(point)),
              std::string(point_columns) +
                  "7,3,bcast,all,4,1024,unavailable,not measured yet,0,0,,,,,,,,,,,,,,,,,,,,,,,,,0,1,1\n");
    point.time_ns =
        stats::Summary{.count = 3, .median = 5, .median_ci95 = {}, .min = 4, .mean = 5, .p99 = 6, .max = 6};
    EXPECT_EQ(
        points_csv(run_with(point)),
        std::string(point_columns) +
            "7,3,bcast,all,4,1024,unavailable,not measured yet,0,0,5,,,4,5,6,6,,,,,,,,,,,,,,,,,,0,1,1\n");
}

TEST(PointsCsv, QuotesAReasonThatNeedsIt) {
    const auto reason_cell = [](const std::string& reason) {
        analysis::PointResult point;
        point.status = journal::PointStatus::failed;
        point.reason = reason;
        const auto text = points_csv(run_with(point));
        const auto begin = text.find(",failed,") + 8;
        return text.substr(begin, text.rfind(",0,0,") - begin);
    };
    EXPECT_EQ(reason_cell("plain words: nothing else"), "plain words: nothing else");
    EXPECT_EQ(reason_cell("one; two"), "\"one; two\"") << "a semicolon parts cells in some countries";
    EXPECT_EQ(reason_cell("one, two"), "\"one, two\"");
    EXPECT_EQ(reason_cell("say \"no\""), "\"say \"\"no\"\"\"");
    EXPECT_EQ(reason_cell("two\nlines"), "two\\nlines") << "on one line, as all other texts";
    EXPECT_EQ(reason_cell("a\rb"), "a\\rb");
}

TEST(PointsCsv, SaysWhatTheRunWasQuotedWhereItNeedsToBe) {
    auto result = run_with({});
    result.run.label = "a, \"b\"";
    result.run.mpi_flavour = "openmpi";
    result.run.mpi_version = "Open MPI v4.1.4";
    result.points.front().size_as = plan::SizeAs::each;
    EXPECT_TRUE(points_csv(result).ends_with(",\"a, \"\"b\"\"\",openmpi,Open MPI v4.1.4,each,,,,0,1,1\n"))
        << points_csv(result);
}

TEST(SamplesCsv, HasARowASampleInTheColumnsOfTheContract) {
    SampleStore sample({point_spec(0, "bcast", 8)});
    sample.put(0, {block_of(0, 0, {{{1000}, {50}, true}, {{2000}, {61}, false}}),
                   block_of(0, 2, {{{3000}, {70}, true}}), block_of(1, 0, {{{-5}, {51}, true}})});
    EXPECT_EQ(
        written([&](std::FILE* out) { write_samples_csv(out, sample.store, sample.store.find_run("last")); }),
        "run,point,operation,procs,size_bytes,rank,rep,start_ns,duration_ns,valid\n"
        "1,0,bcast,2,8,0,0,1000,50,1\n"
        "1,0,bcast,2,8,0,1,2000,61,0\n"
        "1,0,bcast,2,8,0,2,3000,70,1\n"
        "1,0,bcast,2,8,1,0,-5,51,1\n");
}

TEST(SamplesCsv, HalvesTheRoundTripOfAPair) {
    SampleStore sample({point_spec(0, "pingpong", 8)});
    sample.put(0, {block_of(0, 0, {{{1000}, {50}, true}, {{2000}, {61}, true}, {{3000}, {1}, true}})});
    EXPECT_EQ(
        written([&](std::FILE* out) { write_samples_csv(out, sample.store, sample.store.find_run("last")); }),
        "run,point,operation,procs,size_bytes,rank,rep,start_ns,duration_ns,valid\n"
        "1,0,pingpong,2,8,0,0,1000,25,1\n"
        "1,0,pingpong,2,8,0,1,2000,30.5,1\n"
        "1,0,pingpong,2,8,0,2,3000,0.5,1\n");
}

TEST(SamplesCsv, LeavesOutTheTimeStampsAndDividesByCallsInARow) {
    SampleStore sample({point_spec(0, "bcast", 8)});
    sample.store.put(sample.job, journal::RankInfo{0, "h0", 10, "0", 20});
    sample.put({.index = 0, .status = journal::PointStatus::ok, .calls = 10},
               {block_of(0, 0, {{{1000}, {1025}, true}, {{2000}, {5}, true}})}, sample.job);
    EXPECT_EQ(
        written([&](std::FILE* out) { write_samples_csv(out, sample.store, sample.store.find_run("last")); }),
        "run,point,operation,procs,size_bytes,rank,rep,start_ns,duration_ns,valid\n"
        "1,0,bcast,2,8,0,0,1000,100.5,1\n"
        "1,0,bcast,2,8,0,1,2000,0,1\n");
}

TEST(StepsCsv, HasARowARepetitionWithoutWhatReadingTheClockTakes) {
    SampleStore sample({point_spec(0, "overlap.ibcast", 8), point_spec(1, "bcast", 8)});
    sample.store.put(sample.job, journal::RankInfo{.rank = 0, .host = "h", .binding = {}, .empty_ns = 10});
    testing::SampleStudy study;
    study.whole(0, study.step(journal::StepScheme::at_once, 0), 0, 500, 7'000);
    study.parts(0, study.step(journal::StepScheme::time, 400, 3, 4), 1, 100, 200, 90, 3);
    study.put(sample, 0);
    EXPECT_EQ(
        written([&](std::FILE* out) { write_steps_csv(out, sample.store, sample.store.find_run("last")); }),
        "run,point,operation,procs,size_bytes,progress,step,scheme,work_ns,tests,interval_bytes,round,"
        "rank,start_ns,whole_ns,post_ns,tests_ns,wait_ns,tests_made,valid,trial,setting\n"
        "1,0,overlap.ibcast,2,8,,0,at-once,0,0,0,0,0,7000,490,0,0,0,0,1,0,\n"
        "1,0,overlap.ibcast,2,8,,1,time,400,3,4,1,0,0,380,90,60,190,3,1,0,\n");
}

}  // namespace
}  // namespace fathom::report
