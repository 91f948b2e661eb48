#include "report/gnuplot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/test_support.hpp"

namespace fathom::report {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(GnuplotText, IsTextAndNothingElse) {
    EXPECT_EQ(gnuplot_text("plain"), "'plain'");
    EXPECT_EQ(gnuplot_text("it's"), "'it''s'");
    EXPECT_EQ(gnuplot_text("a\nplot 'b'"), "'a\\nplot ''b'''");
    EXPECT_EQ(gnuplot_text("\x1b[2J\u202e"), "'\\x1b[2J\\u202e'");
    EXPECT_EQ(gnuplot_text("`ls` \"$(ls)\" \\"), "'`ls` \"$(ls)\" \\'");
}

analysis::PointResult point_of(std::int64_t size) {
    analysis::PointResult point;
    point.key.operation = "bcast";
    point.key.procs = 2;
    point.key.size = {size};
    point.status = journal::PointStatus::ok;
    point.time_ns = stats::Summary{.count = 4,
                                   .median = 2'000,
                                   .median_ci95 = stats::Interval{1'900, 2'200},
                                   .min = 1'000,
                                   .mean = 2'000,
                                   .p99 = 3'000,
                                   .max = 3'000};
    point.value_ns = stats::Reduced{.value = 2'000, .ci95 = stats::Interval{1'900, 2'200}};
    point.rate_bytes_per_s = 5e6;
    return point;
}

TEST(GnuplotFigures, WritesTimesRatesDistributionsAndProcesses) {
    testing::TempFolder folder;
    analysis::RunResult result;
    result.points = {point_of(8)};
    analysis::Repetitions repetitions;
    repetitions.times = {1'000, 3'000, 2'000, 2'000};
    repetitions.by_rank = {{0, {1'000, 2'000}}, {1, {3'000, 5'000}}};
    GnuplotFigures figures;
    figures.add(result.points.front(), repetitions);
    EXPECT_THAT(figures.write(folder / "new", result),
                ElementsAre("time.gp", "rate.gp", "distribution.gp", "ecdf.gp", "processes.gp"));
    EXPECT_THAT(read_file(folder / "new" / "time.dat"), HasSubstr("\n8 2 1.9 2.2 1 3 5\n"));
    const auto data = read_file(folder / "new" / "point-000.dat");
    EXPECT_THAT(data, HasSubstr("\n1 0\n1 0.25\n2 0.5\n2 0.75\n3 1\n")) << "the distribution function";
    EXPECT_THAT(data, HasSubstr("\n0 1 1.5 1.5 2\n1 3 4 4 5\n")) << "rank, smallest, mean, median, largest";
}

TEST(GnuplotFigures, GainNoRowsOrCommandsFromNames) {
    testing::TempFolder folder;
    analysis::RunResult result;
    result.run.label = "x'\nsystem 'id'";
    result.points = {point_of(8)};
    result.points.front().key.setting = "a=1\n9 9 9 9 9 9 9\n\n\n# `id`";
    analysis::Repetitions repetitions;
    repetitions.times = {1'000, 3'000, 2'000, 2'000};
    GnuplotFigures figures;
    figures.add(result.points.front(), repetitions);
    const auto scripts = figures.write(folder / "new", result);
    EXPECT_THAT(read_file(folder / "new" / "time.dat"),
                ::testing::EndsWith("\n# bcast, 2 processes, a=1\\n9 9 9 9 9 9 9\\n\\n\\n# `id`\n"
                                    "8 2 1.9 2.2 1 3 5\n\n\n"));
    for (const auto& name : scripts) {
        const auto script = read_file(folder / "new" / name);
        EXPECT_EQ(script.find("\nsystem"), std::string::npos) << script;
        EXPECT_EQ(script.find("\n9 9"), std::string::npos) << script;
    }
}

TEST(GnuplotFigures, DrawsTimeOutsWhereThereAreSome) {
    testing::TempFolder folder;
    analysis::RunResult result;
    result.points = {point_of(8)};
    auto& timeouts = result.points.front().analyses.timeouts;
    timeouts.status = analysis::TimeoutStatus::found;
    timeouts.classes = {{.kind = analysis::TimeoutKind::none, .reps = 99, .share = 0.99},
                        {.kind = analysis::TimeoutKind::one, .reps = 1, .share = 0.01}};
    analysis::Repetitions repetitions;
    repetitions.times = {1'000, 3'000, 2'000, 2'000};
    repetitions.by_rank = {{0, {1'000, 2'000}}, {1, {3'000, 5'000}}};
    GnuplotFigures figures;
    figures.add(result.points.front(), repetitions);
    EXPECT_THAT(figures.write(folder / "new", result), Contains("timeouts.gp"));
    EXPECT_THAT(read_file(folder / "new" / "timeouts.gp"), HasSubstr("array limit[1] = [0.005]"));
    EXPECT_THAT(read_file(folder / "new" / "point-000.dat"), HasSubstr("\nnone 0.99\n1 0.01\n"));
}

TEST(GnuplotFigures, LeavesOutWhatLogarithmicAxesCannotShow) {
    testing::TempFolder folder;
    analysis::RunResult result;
    result.points = {point_of(0)};
    EXPECT_THAT(GnuplotFigures().write(folder / "new", result), IsEmpty());
}

}  // namespace
}  // namespace fathom::report
