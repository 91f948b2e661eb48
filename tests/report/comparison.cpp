#include "report/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
    EXPECT_THAT(text,
                HasSubstr("that launches differ by 0.4 % is estimated from the scatter of all points."));
    EXPECT_TRUE(
        text.ends_with("1 of 4 points is slower by more than 5 %, 1 slower by less, 1 the same, "
                       "1 undecided (too few repetitions).\n"))
        << text;
}

TEST(ComparisonText, WarnsOfSettingsThatChangeWhatIsMeasured) {
    auto comparison = sample();
    EXPECT_THAT(comparison_text(comparison, {}), ::testing::Not(HasSubstr("Warning")));
    comparison.differences = {
        {.what = "over_ranks", .first = "\"max\"", .second = "\"mean\"", .setting = true}};
    const auto text = comparison_text(comparison, {});
    EXPECT_THAT(text, HasSubstr("They differ in over_ranks: \"max\" and \"mean\".\n"));
    EXPECT_THAT(text, HasSubstr("Warning: settings differ that change what is measured"));
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
