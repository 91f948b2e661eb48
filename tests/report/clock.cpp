#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "journal/json.hpp"
#include "report/clock_json.hpp"
#include "report/clock_text.hpp"
#include "report/terminals.hpp"

namespace fathom::report {
namespace {

using ::testing::HasSubstr;

const ClockHead head{.mpi = "mpich",
                     .source = "counter",
                     .description = "resolution 1 ns, read cost 16 ns",
                     .hosts = {{0, "h0"}, {1, "h1"}}};

analysis::SyncStudy study() {
    analysis::SyncStudy study;
    study.scheme = "tree";
    analysis::SyncRepeat repeat{.cost_ns = 70'000, .pings = 120, .ranks = {}};
    repeat.ranks.push_back({.rank = 0, .host = "h0"});
    repeat.ranks.push_back({.rank = 1,
                            .host = "h1",
                            .offset_ns = -3'600'000'000'123,
                            .bound_ns = 4'700,
                            .round_trip_ns = 9'400,
                            .pings = 120,
                            .shared = false});
    study.repeats.push_back(repeat);
    study.ranks = {{.rank = 0}, {.rank = 1, .drift_ppm = 12.5, .drift_error_ppm = 0.25}};
    return study;
}

TEST(ClockSyncJson, HasTheShapeThatScriptsRelyOn) {
    const auto json = clock_sync_json(head, study());
    EXPECT_EQ(json["schema"], "fathom.clock/1");
    EXPECT_EQ(json["scheme"], "tree");
    const auto& repeat = json["repeats"][0];
    EXPECT_EQ(repeat["cost_ns"], 70'000);
    EXPECT_EQ(repeat["pings"], 120);
    const auto& rank = repeat["ranks"][1];
    EXPECT_EQ(rank["rank"], 1);
    EXPECT_EQ(rank["host"], "h1");
    EXPECT_EQ(rank["offset_ns"], -3'600'000'000'123);
    EXPECT_EQ(rank["bound_ns"], 4'700);
    EXPECT_EQ(rank["drift_ppm"], 12.5);
}

TEST(ClockSyncText, ShowsOffsetsToTheLastDigit) {
    const auto text = clock_sync_text(head, study(), plain);
    EXPECT_THAT(text, HasSubstr("2 processes on 2 hosts, mpich"));
    EXPECT_THAT(text, HasSubstr("-3 600 000 000 123 ns"));
    EXPECT_THAT(text, HasSubstr("+12.5000 +- 0.2500"));
    EXPECT_THAT(text, HasSubstr("Scheme tree, 120 pings, cost 70.0 us."));
}

TEST(ClockSyncText, StaysShortWithManyRanks) {
    auto many = study();
    for (int rank = 2; rank < 1000; ++rank) {
        many.repeats[0].ranks.push_back({.rank = rank, .host = "h", .bound_ns = rank});
        many.ranks.push_back({.rank = rank});
    }
    const auto text = clock_sync_text(head, many, plain);
    EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 80);
    EXPECT_THAT(text, HasSubstr("... and 936 more ranks, all in --json; the largest bound is 4 700 ns"));
}

/// The study above with as many processes, each synchronisation taking so long.
SyncOfProcs with_procs(int procs, std::vector<std::int64_t> costs_ns) {
    SyncOfProcs made{.head = head, .study = study()};
    for (int rank = 2; rank < procs; ++rank) {
        made.head.hosts[rank] = "h1";
        made.study.repeats[0].ranks.push_back({.rank = rank, .host = "h1", .bound_ns = 100 * rank});
        made.study.ranks.push_back({.rank = rank});
    }
    const auto repeat = made.study.repeats[0];
    made.study.repeats.clear();
    for (const auto cost : costs_ns) {
        made.study.repeats.push_back(repeat);
        made.study.repeats.back().cost_ns = cost;
    }
    return made;
}

TEST(ClockCostText, SetsProcessCountsSideBySideAndDrawsThem) {
    const auto text = clock_cost_text(
        {with_procs(2, {70'000, 50'000, 60'000}), with_procs(64, {300'000, 310'000, 500'000})}, plain);
    EXPECT_THAT(text,
                HasSubstr("processes  hosts  scheme  pings     cost      min      max  largest bound\n"
                          "        2      2  tree      120  60.0 us  50.0 us  70.0 us       4 700 ns\n"
                          "       64      2  tree      120   310 us   300 us   500 us       6 300 ns\n"));
    EXPECT_THAT(text, HasSubstr("The cost is the median of 3 synchronisations."));
    EXPECT_THAT(text, HasSubstr("   310 us |"));
    EXPECT_THAT(text, HasSubstr("64 processes\n"));
}

TEST(ClockCostJson, IsTheDocumentOfTheLargestCountWithAllOfThem) {
    const auto json = clock_cost_json({with_procs(2, {70'000}), with_procs(4, {80'000, 90'000, 100'000})});
    EXPECT_EQ(json["schema"], "fathom.clock/1");
    EXPECT_EQ(json["procs"], 4);
    EXPECT_EQ(json["repeats"].size(), 3U);
    ASSERT_EQ(json["by_procs"].size(), 2U);
    EXPECT_EQ(json["by_procs"][0]["procs"], 2);
    EXPECT_EQ(json["by_procs"][0]["cost_median_ns"], 70'000);
    EXPECT_EQ(json["by_procs"][0]["bound_max_ns"], 4'700);
    EXPECT_EQ(json["by_procs"][0]["repeats"][0]["ranks"].size(), 2U);
    EXPECT_EQ(json["by_procs"][1]["cost_median_ns"], 90'000);
    EXPECT_EQ(json["by_procs"][1]["cost_max_ns"], 100'000);
}

TEST(ClockCheck, SaysWhatHeldAndWhatDidNot) {
    std::vector<analysis::CheckMoment> moments{
        {.after_ns = 0, .events = 50, .skew_median_ns = 20, .skew_max_ns = 30, .skew_bound_ns = 200}};
    EXPECT_THAT(clock_check_text(head, moments, plain), HasSubstr("holds"));
    EXPECT_EQ(check_sentence(moments),
              "clock check: the clocks are within their error bounds; ranks that act at one instant "
              "were apart by 20 ns after 0 s (known to +- 200 ns).");
    EXPECT_EQ(clock_check_json(head, moments)["holds"], true);
    moments.push_back(moments.front());
    moments.back().after_ns = 10'000'000'000;
    moments.back().holds = false;
    EXPECT_THAT(clock_check_text(head, moments, plain), HasSubstr("does not hold"));
    EXPECT_THAT(check_sentence(moments), HasSubstr("exceeded their error bounds"));
    EXPECT_EQ(clock_check_json(head, moments)["holds"], false);
    EXPECT_EQ(clock_check_json(head, moments)["moments"][1]["after_ns"], 10'000'000'000);
}

TEST(ClockQuality, NamesTheOptionToUse) {
    analysis::QualityStudy quality;
    quality.results = {{.patience = 10, .excess_percent = 8, .excess_ns = 40, .pings = 18},
                       {.patience = 50, .excess_percent = 4, .excess_ns = 20, .pings = 90}};
    quality.recommended = 50;
    EXPECT_THAT(clock_quality_text(head, quality, plain), HasSubstr("--patience 50"));
    EXPECT_EQ(clock_quality_json(head, quality)["recommended_patience"], 50);
}

TEST(ClockDrift, DrawsTheDifferenceAndTheRoundTrips) {
    analysis::PairDrift pair;
    pair.asking = 1;
    for (std::int64_t i = 0; i < 5; ++i) {
        const std::int64_t offset = 500 + 1'000 * i;
        pair.offsets.push_back(
            {.at = {i * 1'000'000'000}, .offset = {offset}, .low = {offset - 9}, .high = {offset + 9}});
    }
    pair.fit = clock::fit_drift(pair.offsets);
    pair.round_trips = {
        .count = 3, .median = 20, .median_ci95 = {}, .min = 10, .mean = 20, .p99 = 30, .max = 30};
    pair.histogram = stats::histogram(std::vector<double>{10, 20, 30}, 200, 30);
    const auto text = clock_drift_text(head, {pair}, plain);
    EXPECT_THAT(text, HasSubstr("+1.0000 +- 0.0000"));
    EXPECT_THAT(text, HasSubstr("h0-h1"));
    EXPECT_THAT(text, HasSubstr("4.00 us |"));
    EXPECT_THAT(text, HasSubstr("steady"));
    const auto json = clock_drift_json(head, {pair});
    EXPECT_EQ(json["pairs"][0]["offsets"][4]["offset_ns"], 4'500);
    EXPECT_NEAR(json["pairs"][0]["offsets"][4]["residual_ns"].get<double>(), 0, 1e-6);
    EXPECT_EQ(json["pairs"][0]["round_trip_histogram"]["counts"].size(), 200U);
}

}  // namespace
}  // namespace fathom::report
