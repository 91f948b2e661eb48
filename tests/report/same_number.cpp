// One point shows the same number, interval and mark wherever it is shown.

#include <map>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/across_runs/comparison.hpp"
#include "analysis/across_runs/merging.hpp"
#include "analysis/point/launches.hpp"
#include "analysis/point/quality.hpp"
#include "analysis/stored_runs.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "journal/json.hpp"
#include "report/comparison.hpp"
#include "report/csv.hpp"
#include "report/gnuplot.hpp"
#include "report/json.hpp"
#include "report/merging.hpp"
#include "report/page/page_data.hpp"
#include "report/run_text.hpp"
#include "report/terminals.hpp"
#include "report/written.hpp"

namespace fathom::report {
namespace {

using ::testing::HasSubstr;
using testing::StoredLaunch;
using testing::StoredRuns;
using testing::times_around;
using testing::written;

/// A launch with this median of the repetitions that count, after so many that took 5 us because the rank was
/// preempted.
StoredLaunch launch_at(std::int64_t median_ns, std::size_t disturbed = 0) {
    std::vector<std::int64_t> times(disturbed, 5'000);
    const auto others = times_around(median_ns);
    times.insert(times.end(), others.begin(), others.end());
    return {.times_ns = std::move(times), .disturbed = disturbed};
}

/// One with nothing but 10 repetitions that were not disturbed: too few.
StoredLaunch lost_launch(std::int64_t median_ns) {
    std::vector<std::int64_t> times(60, 16'000);
    const auto others = times_around(median_ns, 10);
    times.insert(times.end(), others.begin(), others.end());
    return {.times_ns = std::move(times), .disturbed = 60};
}

StoredLaunch failed_launch() {
    return {.failed = true};
}

/// The points: launches disturbed in part, dropped and failed; all disturbed; one that counts; a quiet one.
std::vector<std::vector<StoredLaunch>> launches_from(std::int64_t base_ns) {
    return {{launch_at(base_ns), lost_launch(base_ns), launch_at(base_ns + 4, 30), failed_launch(),
             launch_at(base_ns + 8)},
            {lost_launch(base_ns), lost_launch(base_ns + 10), failed_launch(), lost_launch(base_ns + 20),
             launch_at(base_ns + 6)},
            {failed_launch(), launch_at(base_ns + 2), failed_launch(), failed_launch(), failed_launch()},
            {launch_at(base_ns), launch_at(base_ns + 2), launch_at(base_ns + 4), launch_at(base_ns + 6),
             launch_at(base_ns + 8)}};
}

/// The rows of a CSV text by its titles.
std::vector<std::map<std::string, std::string>> rows_of(const std::string& csv) {
    std::vector<std::map<std::string, std::string>> rows;
    std::istringstream lines(csv);
    std::string line;
    std::vector<std::string> titles;
    while (std::getline(lines, line)) {
        const auto cells = split(line, ',');
        if (titles.empty()) {
            titles = cells;
            continue;
        }
        auto& row = rows.emplace_back();
        for (std::size_t i = 0; i < cells.size(); ++i) {
            row[titles.at(i)] = cells[i];
        }
    }
    return rows;
}

class SameNumber : public ::testing::Test {
  protected:
    [[nodiscard]] analysis::MeasuredRun measured(std::int64_t run) const {
        return analysis::measured_run(runs.store, runs.row(run), "run " + std::to_string(run), true);
    }

    StoredRuns runs;
    std::int64_t first = runs.add(launches_from(600));
    std::int64_t second = runs.add(launches_from(630));
};

TEST_F(SameNumber, IsShownByEveryWriter) {
    const auto shown = analysis::evaluate(runs.store, runs.row(first)).points;
    ASSERT_EQ(shown.size(), 4U);
    EXPECT_DOUBLE_EQ(shown[0].value_ns->value, 604) << "of the launches that count: 600, 604 and 608";
    EXPECT_EQ(shown[1].quality, analysis::Quality::disturbed);
    EXPECT_DOUBLE_EQ(shown[2].value_ns->value, 602);
    EXPECT_DOUBLE_EQ(shown[3].value_ns->value, 604);

    const auto json = run_json(runs.store, analysis::evaluate(runs.store, runs.row(first)));
    const auto csv = rows_of(written(
        [&](std::FILE* out) { write_points_csv(out, analysis::evaluate(runs.store, runs.row(first))); }));
    const auto comparison = analysis::compare(measured(first), measured(second), {});
    const auto compared = comparison_json(comparison);
    const auto back = comparison_json(analysis::compare(measured(second), measured(first), {}));
    const auto merged = merging_json(analysis::merge({measured(first), measured(second)}));
    std::vector<PageRun> pages;
    for (const auto run : {first, second}) {
        pages.push_back(page_run(runs.store, runs.row(run), "run", [](const auto& /*point*/) {}));
    }
    const auto page = page_data(std::move(pages));
    const auto& page_points = page.at("runs").at(0).at("points");
    const auto gnuplot = testing::TempFolder();
    GnuplotFigures().write(gnuplot.path(), analysis::evaluate(runs.store, runs.row(first)));
    const auto curves = read_file(gnuplot / "time.dat");

    for (std::size_t i = 0; i < shown.size(); ++i) {
        const auto& point = shown[i];
        const double median = point.time_ns->median;
        const auto quality = std::string(to_text(point.quality));
        EXPECT_EQ(json.at("points").at(i).at("median_ns"), median) << i;
        EXPECT_EQ(json.at("points").at(i).at("value_ns"), point.value_ns->value) << i;
        EXPECT_EQ(json.at("points").at(i).at("quality"), quality) << i;
        EXPECT_EQ(compared.at("points").at(i).at("first_median_ns"), median) << i;
        EXPECT_EQ(compared.at("points").at(i).at("first_quality"), quality) << i;
        EXPECT_EQ(compared.at("points").at(i).at("first_reps"), point.reps) << i;
        EXPECT_EQ(compared.at("points").at(i).at("first_starts"), point.launch_counts.used) << i;
        EXPECT_EQ(compared.at("points").at(i).at("first_launches"), json.at("points").at(i).at("launches"))
            << i;
        EXPECT_EQ(compared.at("points").at(i).at("first_set_aside_reps"), point.set_aside) << i;
        EXPECT_EQ(back.at("points").at(i).at("second_launches"), json.at("points").at(i).at("launches")) << i;
        EXPECT_EQ(back.at("points").at(i).at("second_set_aside_reps"), point.set_aside) << i;
        EXPECT_EQ(back.at("points").at(i).at("second_median_ns"), median) << i;
        EXPECT_DOUBLE_EQ(compared.at("points").at(i).at("ratio").get<double>(),
                         compared.at("points").at(i).at("second_median_ns").get<double>() / median)
            << i;
        EXPECT_EQ(merged.at("points").at(i).at("medians_ns").at(0), median) << i;
        EXPECT_EQ(merged.at("points").at(i).at("quality"), quality) << i;
        EXPECT_EQ(csv.at(i).at("median_ns"), fmt::format("{}", median)) << i;
        EXPECT_EQ(csv.at(i).at("value_ns"), fmt::format("{}", point.value_ns->value)) << i;
        EXPECT_EQ(csv.at(i).at("max_ns"), fmt::format("{}", point.time_ns->max)) << i;
        EXPECT_EQ(csv.at(i).at("quality"), quality) << i;
        EXPECT_EQ(csv.at(i).at("launches_used"), fmt::format("{}", point.launch_counts.used)) << i;
        EXPECT_EQ(csv.at(i).at("launches"), "5") << i;
        const auto& ci95 = json.at("points").at(i).at("median_ci95_ns");
        EXPECT_EQ(csv.at(i).at("median_ci95_low_ns"),
                  ci95.is_null() ? "" : fmt::format("{}", ci95.at(0).get<double>()))
            << i;
        EXPECT_NEAR(page_points.at(i).at("median_ns").get<double>(), median, 1e-4 * median) << i;
        EXPECT_EQ(page_points.at(i).at("quality"), quality) << i;
        const auto& of_page = page_points.at(i).at("median_ci95_ns");
        ASSERT_EQ(of_page.is_null(), ci95.is_null()) << i;
        for (std::size_t end = 0; !ci95.is_null() && end < 2; ++end) {
            const auto value = ci95.at(end).get<double>();
            EXPECT_NEAR(of_page.at(end).get<double>(), value, 1e-4 * value) << i;
        }
        EXPECT_THAT(curves, HasSubstr(fmt::format("{} {} ", point.key.size.count, median / 1'000))) << i;
        const auto range = analysis::range_of(point, false);
        ASSERT_TRUE(range) << i;
        EXPECT_LE(range->low, median) << i;
        EXPECT_GE(range->high, median) << i;
    }
    EXPECT_EQ(page.at("comparisons").at(0).at("points").at(0).at("first_median_ns"),
              compared.at("points").at(0).at("first_median_ns"));
    EXPECT_EQ(compared.at("start_scatter_percent"), page.at("comparisons").at(0).at("start_scatter_percent"));
}

TEST_F(SameNumber, IsTheMedianByNameWhereShowHasSomethingElse) {
    const std::string plan = "over_reps = 'mean'\n";
    const auto one = runs.add(launches_from(600), plan);
    const auto other = runs.add(launches_from(630), plan);
    const auto result = analysis::evaluate(runs.store, runs.row(one));
    const auto gnuplot = testing::TempFolder();
    GnuplotFigures().write(gnuplot.path(), result);
    const auto curves = read_file(gnuplot / "time.dat");
    const auto json = run_json(runs.store, result);
    const auto compared = comparison_json(analysis::compare(measured(one), measured(other), {}));
    for (std::size_t i = 0; i < result.points.size(); ++i) {
        const auto& point = result.points[i];
        EXPECT_EQ(point.over_reps, "mean") << i;
        EXPECT_EQ(json.at("points").at(i).at("value_ns"), point.value_ns->value) << i;
        EXPECT_EQ(compared.at("points").at(i).at("first_median_ns"), point.time_ns->median) << i;
        EXPECT_THAT(curves,
                    HasSubstr(fmt::format("{} {} ", point.key.size.count, point.value_ns->value / 1'000)))
            << i;
    }
    const auto text = comparison_text(analysis::compare(measured(one), measured(other), {}), plain);
    EXPECT_THAT(text, HasSubstr("\nMedians over repetitions are compared; 'fathom show' shows: mean.\n"));
    EXPECT_THAT(text, HasSubstr("  run 3 median  run 4 median  "));
    EXPECT_THAT(merging_text(analysis::merge({measured(one), measured(other)}), plain),
                HasSubstr("\nMedians over repetitions are merged; 'fathom show' shows: mean.\n"));
    EXPECT_THAT(comparison_text(analysis::compare(measured(first), measured(second), {}), plain),
                ::testing::Not(HasSubstr("Medians over")));
}

TEST_F(SameNumber, HasNoQualityWhereThereIsNone) {
    const auto run = runs.add({{failed_launch(), failed_launch()}});
    const auto result = analysis::evaluate(runs.store, runs.row(run));
    EXPECT_TRUE(run_json(runs.store, result).at("points").at(0).at("quality").is_null());
    const auto merging = analysis::merge({measured(run), measured(run)});
    EXPECT_TRUE(merging_json(merging).at("points").at(0).at("quality").is_null());
    const auto csv = written([&](std::FILE* out) { write_points_csv(out, result); });
    EXPECT_EQ(rows_of(csv).at(0).at("quality"), "");
    const auto of_merging = written([&](std::FILE* out) { write_merging_csv(out, merging, CsvTexts::safe); });
    EXPECT_THAT(of_merging, ::testing::EndsWith(",\n")) << "it is the last column";
}

TEST_F(SameNumber, ComesWithWhatIsLeftOut) {
    const auto result = analysis::evaluate(runs.store, runs.row(first));
    const auto& disturbed = result.points[0];
    EXPECT_EQ(disturbed.launch_counts.used, 3U);
    EXPECT_EQ(disturbed.launch_counts.set_aside, 1U);
    EXPECT_EQ(disturbed.launch_counts.failed, 1U);
    EXPECT_EQ(disturbed.set_aside, 30 + 70);
    EXPECT_DOUBLE_EQ(disturbed.time_ns->max, 16'000) << "of all repetitions, also of what does not count";
    const auto text = run_text(runs.store, result, plain);
    EXPECT_THAT(text, HasSubstr("set aside  launches"));
    EXPECT_THAT(text, HasSubstr("3 of 5"));
    EXPECT_THAT(text, HasSubstr("1 of 5"));
    EXPECT_THAT(text, HasSubstr(" 16.0 us "));
    const auto compared = comparison_text(analysis::compare(measured(first), measured(second), {}), plain);
    EXPECT_THAT(compared, HasSubstr("~"));
    EXPECT_THAT(compared, HasSubstr("Left out of run 1: launches of 3 points (at worst 1 of 5 count) and "));
}

TEST_F(SameNumber, IsThatOfTheLaunchesInOneRunHeldAgainstItself) {
    const auto itself = analysis::compare(measured(first), measured(first), {});
    const auto result = analysis::evaluate(runs.store, runs.row(first));
    std::vector<const analysis::PointResult*> points;
    for (const auto& point : result.points) {
        points.push_back(&point);
    }
    const auto scatter = analysis::scatter_of_launches(points);
    ASSERT_TRUE(scatter);
    EXPECT_DOUBLE_EQ(itself.scatter.share, *scatter);
    EXPECT_THAT(run_text(runs.store, result, plain),
                HasSubstr(fmt::format("launches, which differ by {:.2g} %", 100 * *scatter)));
}

}  // namespace
}  // namespace fathom::report
