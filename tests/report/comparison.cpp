#include "report/comparison.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "journal/json.hpp"

namespace fathom::report {
namespace {

using ::testing::HasSubstr;

analysis::ComparedPoint point_of(std::int64_t size, double ratio, analysis::Change verdict) {
    analysis::ComparedPoint point;
    point.key.operation = "bcast";
    point.key.procs = point.second_procs = 64;
    point.key.size = {size};
    point.first_median_ns = 88'000;
    point.second_median_ns = 88'000 * ratio;
    point.ratio = ratio;
    point.ratio_ci95 = {.low = ratio - 0.01, .high = ratio + 0.02};
    point.verdict = verdict;
    point.beyond_limit = verdict == analysis::Change::slower && ratio > 1.05;
    return point;
}

analysis::Comparison sample() {
    analysis::Comparison comparison;
    comparison.first.name = "run 12";
    comparison.second.name = "run 15";
    comparison.first.result.run.mpi_version = comparison.second.result.run.mpi_version = "Open MPI 4.1.4";
    comparison.first.result.run.procs = comparison.second.result.run.procs = 64;
    comparison.scatter = {.share = 0.004, .source = analysis::ScatterSource::table};
    comparison.points = {point_of(8, 0.995, analysis::Change::same),
                         point_of(65'536, 1.489, analysis::Change::slower),
                         point_of(131'072, 1.02, analysis::Change::slower),
                         point_of(262'144, 1.1, analysis::Change::undecided)};
    comparison.points.back().doubt = analysis::Doubt::few_repetitions;
    return comparison;
}

TEST(ComparisonText, HasARowAPointAndASentenceForAll) {
    const auto text = comparison_text(sample(), {});
    EXPECT_THAT(text,
                HasSubstr("operation  procs    bytes   run 12   run 15   change    95% interval  verdict\n"));
    EXPECT_THAT(text,
                HasSubstr("bcast         64      8 B  88.0 us  87.6 us   -0.5 %  -1.5 .. +1.5 %  same\n"));
    EXPECT_THAT(text,
                HasSubstr("bcast         64   64 KiB  88.0 us   131 us  +48.9 %    +48 .. +51 %  slower\n"));
    EXPECT_THAT(text, HasSubstr("undecided (too few repetitions)\n"));
    EXPECT_THAT(
        text, HasSubstr("variation between launches is estimated at 0.4 % from the scatter of all points."));
    EXPECT_TRUE(
        text.ends_with("1 of 4 points is slower by more than 5 %, 1 slower by less, 1 the same, "
                       "1 undecided (too few repetitions).\n"))
        << text;
}

TEST(ComparisonText, BeginsWithWhatIsSlowerUpToWhichSize) {
    EXPECT_TRUE(comparison_text(sample(), {})
                    .starts_with("Run 15 is as fast as run 12 at 8 B, slower from 64 KiB to 128 KiB "
                                 "(undecided at 256 KiB).\n"
                                 "Largest change: +48.9 % (bcast, 64 KiB, 64 processes).\n\nrun 12: "));
    const auto json = comparison_json(sample()).at("change_by_size");
    const auto& group = json.at("groups").at(0);
    EXPECT_EQ(group.at("curves").at(0).at("operation"), "bcast");
    EXPECT_EQ(group.at("ranges").at(1).at("verdict"), "slower");
    EXPECT_EQ(group.at("ranges").at(1).at("from_bytes"), nlohmann::ordered_json({65'536, 65'536}));
    EXPECT_EQ(json.at("slowest").at("size_bytes"), 65'536);
    EXPECT_TRUE(json.at("fastest").is_null());
}

TEST(ComparisonText, SaysReasonsBelowTheTableWhereTheTerminalIsNarrow) {
    auto comparison = sample();
    for (int i = 0; i < 2; ++i) {
        comparison.points.push_back(comparison.points[1]);
        comparison.points.back().doubt = analysis::Doubt::near_limit;
        comparison.points.back().beyond_limit = false;
    }
    constexpr Terminal narrow{.table_columns = 80};
    const auto text = comparison_text(comparison, narrow);
    EXPECT_THAT(text, HasSubstr("undecided (too few reps)\n"));
    EXPECT_THAT(text, HasSubstr("slower (near the limit)\n"));
    EXPECT_THAT(text, HasSubstr("\nnear the limit: perhaps by less than 5 %\n\n"))
        << "each word is explained once, if it needs it";
    for (const auto& line : split(text, '\n')) {
        EXPECT_LE(line.size(), 80U) << line;
    }
}

TEST(ComparisonText, SaysLargeChangesAsFactors) {
    auto comparison = sample();
    comparison.points = {point_of(8, 85, analysis::Change::slower),
                         point_of(16, 1.2, analysis::Change::undecided)};
    comparison.points.back().ratio_ci95 = {.low = 0.921, .high = 2093.4};
    const auto text = comparison_text(comparison, {});
    EXPECT_THAT(text, HasSubstr("85.0 times"));
    EXPECT_THAT(text, HasSubstr("0.92 .. 2093 times"));
}

TEST(ComparisonText, CountsPointsWithoutCounterpartWhereThereAreMany) {
    auto comparison = sample();
    for (const auto size : {1, 2, 3, 4}) {
        auto key = comparison.points.front().key;
        key.size = {size};
        comparison.unmatched.push_back({.key = key, .lacking_in_first = false, .status = {}, .reason = {}});
    }
    EXPECT_THAT(
        comparison_text(comparison, {}),
        HasSubstr(
            "\nNot compared: bcast, 1 B, 64 processes, and 3 more: not in run 15. --json names all.\n"));
}

TEST(ComparisonText, WarnsOfSettingsThatChangeWhatIsMeasured) {
    auto comparison = sample();
    EXPECT_THAT(comparison_text(comparison, {}), ::testing::Not(HasSubstr("Warning")));
    comparison.differences = {{.kind = analysis::DifferenceKind::setting,
                               .name = "over_ranks",
                               .first = {"\"max\""},
                               .second = {"\"mean\""}}};
    const auto text = comparison_text(comparison, {});
    EXPECT_THAT(text, HasSubstr("They differ in over_ranks: \"max\" and \"mean\".\n"));
    EXPECT_THAT(text, HasSubstr("Warning: settings differ that change what is measured"));
}

TEST(ComparisonText, SaysWhyPointsAreNotCompared) {
    auto comparison = sample();
    const auto add = [&](bool in_first, std::optional<store::PointStatus> status, const std::string& reason) {
        comparison.unmatched.push_back({.key = comparison.points.front().key,
                                        .lacking_in_first = in_first,
                                        .status = status,
                                        .reason = reason});
    };
    add(true, {}, "");
    add(false, store::PointStatus::failed, "rank 1 died");
    add(false, store::PointStatus::ok, "");
    const auto text = comparison_text(comparison, {});
    EXPECT_THAT(text, HasSubstr("64 processes: not in run 12.\n"));
    EXPECT_THAT(text, HasSubstr("64 processes: failed in run 15: rank 1 died.\n"));
    EXPECT_THAT(text, HasSubstr("64 processes: without a time in run 15.\n"));
}

TEST(ComparisonText, CallsRunsByLabelsThatTellThemApart) {
    auto comparison = sample();
    auto& first = comparison.first.result.run;
    auto& second = comparison.second.result.run;
    first.id = 12;
    second.id = 15;
    first.label = "baseline";
    second.label = std::string(40, 'x');
    EXPECT_THAT(comparison_text(comparison, {}), HasSubstr("bytes  baseline   run 15   change"));
    second.label = "tuned";
    EXPECT_THAT(comparison_text(comparison, {}), HasSubstr("bytes  baseline    tuned   change"));
    second.label = "baseline";
    EXPECT_THAT(comparison_text(comparison, {}), HasSubstr("bytes   run 12   run 15   change"));
}

TEST(ComparisonText, SaysHowManyRepetitionsWereDisturbed) {
    auto comparison = sample();
    auto& point = comparison.points.back();
    point.doubt = analysis::Doubt::disturbed;
    point.first_disturbed = point.second_disturbed = true;
    point.second_reps = 55;
    point.second_disturbed_reps = 45;
    point.second_disturbed_share = 0.45;
    point.ratio_range = {.low = 1.01, .high = 1.2};
    auto text = comparison_text(comparison, {});
    EXPECT_THAT(text, HasSubstr("undecided (the machine was disturbed in run 15 (45 % of repetitions))\n"));
    EXPECT_THAT(text, HasSubstr("The machine was disturbed while 1 of 4 points were measured"));
    EXPECT_THAT(text, HasSubstr("1 undecided (the machine was disturbed).\n"));
    point.ratio_range = {.low = 0, .high = HUGE_VAL};
    text = comparison_text(comparison, {});
    EXPECT_THAT(text, HasSubstr("  open  undecided"));
    const auto json = comparison_json(comparison).at("points").back();
    EXPECT_EQ(json.at("doubt"), "disturbed");
    EXPECT_EQ(json.at("second_disturbed_reps"), 45);
    EXPECT_TRUE(json.at("ratio_range").is_null());
}

TEST(ComparisonJson, HasTheFieldsOfTheContract) {
    const auto json = comparison_json(sample());
    EXPECT_EQ(json.at("schema"), "fathom.compare/1");
    EXPECT_EQ(json.begin().key(), "schema");
    const auto& point = json.at("points").at(1);
    EXPECT_EQ(point.at("operation"), "bcast");
    EXPECT_EQ(point.at("procs"), 64);
    EXPECT_EQ(point.at("size_bytes"), 65'536);
    EXPECT_DOUBLE_EQ(point.at("ratio").get<double>(), 1.489);
    EXPECT_DOUBLE_EQ(point.at("ratio_ci95").at(0).get<double>(), 1.479);
    EXPECT_EQ(point.at("verdict"), "slower");
    EXPECT_EQ(json.at("summary").at("beyond_limit"), 1);
    EXPECT_EQ(json.at("summary").at("slower"), 2);
    EXPECT_DOUBLE_EQ(json.at("limit_percent").get<double>(), 5);
}

}  // namespace
}  // namespace fathom::report
