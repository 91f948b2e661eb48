#include "report/json.hpp"

#include <utility>

#include <gtest/gtest.h>

#include "journal/json.hpp"
#include "store/sample_store.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;
using testing::block_of;
using testing::point_spec;
using testing::samples_of;
using testing::SampleStore;

ordered_json json_of(const SampleStore& sample) {
    return run_json(sample.store, analysis::evaluate(sample.store, sample.store.find_run("last")));
}

TEST(RunJson, HasEveryFieldOfTheContract) {
    SampleStore sample({point_spec(0, "bcast", 8)});
    const auto json = json_of(sample);
    EXPECT_EQ(json.at("schema"), "fathom.run/1");
    EXPECT_EQ(json.begin().key(), "schema") << "a reader sees first what it reads";
    EXPECT_EQ(json.at("run"), 1);
    EXPECT_EQ(json.at("mpi"), "openmpi");
    const auto& point = json.at("points").at(0);
    for (const auto* field : {"operation",      "pattern",
                              "procs",          "size_bytes",
                              "status",         "reason",
                              "reps",           "invalid_reps",
                              "median_ns",      "median_ci95_ns",
                              "min_ns",         "mean_ns",
                              "p99_ns",         "max_ns",
                              "over_ranks",     "over_reps",
                              "value_ns",       "value_ci95_ns",
                              "subtracted_ns",  "calls_in_a_row",
                              "cache",          "start_skew_median_ns",
                              "clock_bound_ns", "warnings"}) {
        EXPECT_TRUE(point.contains(field)) << field;
    }
}

TEST(RunJson, GivesTimesAsNumbersOfNanoseconds) {
    SampleStore sample({point_spec(0, "bcast", 1000)});
    sample.put(0, {block_of(0, 0, samples_of({100, 600, 200, 500, 300, 400}))});
    const auto point = json_of(sample).at("points").at(0);
    EXPECT_EQ(point.at("operation"), "bcast");
    EXPECT_EQ(point.at("pattern"), "all");
    EXPECT_EQ(point.at("procs"), 2);
    EXPECT_EQ(point.at("size_bytes"), 1000);
    EXPECT_EQ(point.at("status"), "ok");
    EXPECT_EQ(point.at("reps"), 6);
    EXPECT_EQ(point.at("invalid_reps"), 0);
    EXPECT_DOUBLE_EQ(point.at("median_ns").get<double>(), 350);
    EXPECT_NEAR(point.at("median_ci95_ns").at(0).get<double>(), 119.4124, 1e-3);
    EXPECT_NEAR(point.at("median_ci95_ns").at(1).get<double>(), 580.5876, 1e-3);
    EXPECT_DOUBLE_EQ(point.at("min_ns").get<double>(), 100);
    EXPECT_DOUBLE_EQ(point.at("mean_ns").get<double>(), 350);
    EXPECT_NEAR(point.at("p99_ns").get<double>(), 595, 1e-9);
    EXPECT_DOUBLE_EQ(point.at("max_ns").get<double>(), 600);
    EXPECT_NEAR(point.at("rate_bytes_per_s").get<double>(), 1000 / 350e-9, 1);
    EXPECT_EQ(point.at("warnings"), ordered_json::array());
}

TEST(RunJson, ClaimsNothingThatIsNotKnown) {
    SampleStore sample({point_spec(0, "bcast", 8), point_spec(1, "barrier", 0)});
    sample.put(1, {block_of(0, 0, samples_of({1, 2, 3}))});
    const auto json = json_of(sample);
    const auto& pending = json.at("points").at(0);
    EXPECT_EQ(pending.at("status"), "unavailable");
    EXPECT_EQ(pending.at("reason"), "not measured yet");
    for (const auto* field : {"median_ns", "median_ci95_ns", "min_ns", "mean_ns", "p99_ns", "max_ns",
                              "rate_bytes_per_s", "start_skew_median_ns", "clock_bound_ns"}) {
        EXPECT_TRUE(pending.at(field).is_null()) << field;
    }
    const auto& barrier = json.at("points").at(1);
    EXPECT_TRUE(barrier.at("median_ci95_ns").is_null()) << "too few repetitions";
    EXPECT_TRUE(barrier.at("rate_bytes_per_s").is_null());
    EXPECT_EQ(barrier.at("warnings").size(), 1U);
}

TEST(RunJson, TellsOfRanksHostsAndWarnings) {
    SampleStore sample({});
    sample.store.put(
        sample.job,
        journal::JobInfo{2, false, "openmpi", "Open MPI v4", "3.1", "monotonic_raw", "", {{"A", "1"}}});
    sample.store.put(sample.job, journal::RankInfo{0, "h0", 10, "0-1"});
    sample.store.put(sample.job, journal::HostInfo{"h0", {{"cores", "4"}}});
    sample.store.put_warning(sample.run, {store::Severity::note, "virtual", "h0: virtual", "compare minima"});
    const auto json = json_of(sample);
    EXPECT_EQ(json.at("mpi_version"), "Open MPI v4");
    EXPECT_EQ(json.at("simulated"), false);
    EXPECT_EQ(json.at("time_source"), "monotonic_raw");
    EXPECT_EQ(json.at("ranks"), ordered_json::array({{{"rank", 0},
                                                      {"host", "h0"},
                                                      {"pid", 10},
                                                      {"binding", "0-1"},
                                                      {"socket", nullptr},
                                                      {"numa_node", nullptr},
                                                      {"empty_repetition_ns", 0}}}));
    EXPECT_EQ(json.at("environment").at("job").at("A"), "1");
    EXPECT_EQ(json.at("environment").at("h0").at("cores"), "4");
    EXPECT_EQ(json.at("points"), ordered_json::array());
    EXPECT_EQ(json.at("warnings").at(0), (ordered_json{{"severity", "note"},
                                                       {"code", "virtual"},
                                                       {"text", "h0: virtual"},
                                                       {"remedy", "compare minima"}}));
}

TEST(RunJson, NamesTheImplementationWhereItIsNotTheLibrary) {
    auto over_tree = point_spec(1, "bcast", 8);
    over_tree.key.implementation = "tree:flat";
    SampleStore sample({point_spec(0, "bcast", 8), over_tree});
    sample.put(0, {block_of(0, 0, samples_of({100, 200, 300}))});
    const std::vector<journal::CallEvent> events{{.call = 0, .collector = 0, .down_ns = 5, .up_ns = 9}};
    std::optional traced(journal::EventBlock{.point = 1,
                                             .rank = 0,
                                             .block = 0,
                                             .every = 4,
                                             .count = 1,
                                             .dropped = 2,
                                             .data = journal::pack_events(events)});
    sample.store.put_point(sample.run, sample.job,
                           {.index = 1, .status = journal::PointStatus::ok, .samples = 4},
                           testing::source_of({block_of(0, 0, samples_of({100, 200, 300}))}),
                           {.next_events = [&] { return std::exchange(traced, std::nullopt); }});
    const auto points = json_of(sample).at("points");
    EXPECT_FALSE(points.at(0).contains("implementation"));
    EXPECT_FALSE(points.at(0).contains("trace"));
    EXPECT_EQ(points.at(1).at("implementation"), "tree:flat");
    const auto& trace = points.at(1).at("trace");
    EXPECT_EQ(trace.at("every"), 4);
    EXPECT_EQ(trace.at("events"), 1);
    EXPECT_EQ(trace.at("dropped"), 2);
    EXPECT_EQ(trace.at("bytes_per_event"), trace.at("stored_bytes"));
    EXPECT_EQ(trace.at("ring_bytes_per_event"), 24);
    EXPECT_EQ(points.at(1).at("warnings").size(), 2U) << "dropped events, and too few repetitions";
}

TEST(RunJson, KeepsSizesBeyond2GiBExact) {
    SampleStore sample({point_spec(0, "bcast", (std::int64_t{16} << 30) + 1)});
    EXPECT_EQ(json_of(sample).at("points").at(0).at("size_bytes").dump(), "17179869185");
}

TEST(RunJson, GivesTheValueAskedForBesideTheUsualNumbers) {
    SampleStore sample({point_spec(0, "bcast", 1000)}, "sample",
                       "over_ranks = \"mean\"\nover_reps = \"mean\"\n");
    sample.store.put(sample.job, journal::JobInfo{2, false, "openmpi", "v4", "3.1", "tsc", "", {}});
    sample.store.put(sample.job, journal::RankInfo{0, "h0", 10, "0", 20});
    sample.store.put(sample.job, journal::RankInfo{1, "h0", 11, "1", 30});
    sample.put(0, {block_of(0, 0, samples_of({120, 120, 420})), block_of(1, 0, samples_of({130, 130, 430}))});
    const auto json = json_of(sample);
    const auto& point = json.at("points").at(0);
    EXPECT_EQ(point.at("over_ranks"), "mean");
    EXPECT_EQ(point.at("over_reps"), "mean");
    EXPECT_DOUBLE_EQ(point.at("value_ns").get<double>(), 200);
    EXPECT_DOUBLE_EQ(point.at("median_ns").get<double>(), 100);
    EXPECT_EQ(point.at("subtracted_ns"), 30);
    // Student: t of two degrees of freedom is 4.303, the deviation 173.2.
    EXPECT_NEAR(point.at("value_ci95_ns").at(1).get<double>(), 200 + 430.27, 0.01);
    EXPECT_EQ(json.at("ranks").at(1).at("empty_repetition_ns"), 30);
    for (const auto* field : {"ranks", "starts", "purpose"}) {
        EXPECT_FALSE(point.contains(field)) << field << " has nothing to say";
    }
    EXPECT_FALSE(json.contains("switches"));
}

TEST(RunJson, SaysHowAPointWasMeasured) {
    auto spec = point_spec(0, "bcast", 1000);
    spec.key.scheme = "as-imb";
    spec.purpose = plan::purpose_refine;
    SampleStore sample({spec});
    sample.put({.index = 0,
                .status = journal::PointStatus::ok,
                .start = "window",
                .warmup_calls = 21,
                .calls = 100,
                .cache = "cold"},
               {}, sample.job);
    const auto point = json_of(sample).at("points").at(0);
    EXPECT_EQ(point.at("scheme"), "as-imb");
    EXPECT_EQ(point.at("purpose"), "refine");
    EXPECT_EQ(point.at("start"), "window");
    EXPECT_EQ(point.at("cache"), "cold");
    EXPECT_EQ(point.at("calls_in_a_row"), 100);
    EXPECT_EQ(point.at("warmup_calls"), 21);
    EXPECT_TRUE(point.at("value_ns").is_null());
    EXPECT_TRUE(point.at("value_ci95_ns").is_null());
}

TEST(RunJson, GivesEveryRankWhereEachCounts) {
    SampleStore sample({point_spec(0, "bcast", 1000)}, "sample", "over_ranks = \"each\"\n");
    sample.put(0, {block_of(0, 0, samples_of({100, 200, 300, 400, 500, 600})),
                   block_of(1, 0, samples_of({10, 40, 10, 40, 10, 40}))});
    const auto point = json_of(sample).at("points").at(0);
    ASSERT_EQ(point.at("ranks").size(), 2U);
    const auto& second = point.at("ranks").at(1);
    EXPECT_EQ(second.at("rank"), 1);
    EXPECT_DOUBLE_EQ(second.at("value_ns").get<double>(), 25);
    EXPECT_DOUBLE_EQ(second.at("value_ci95_ns").at(0).get<double>(), 10);
    EXPECT_DOUBLE_EQ(second.at("value_ci95_ns").at(1).get<double>(), 40);
    EXPECT_DOUBLE_EQ(second.at("median_ns").get<double>(), 25);
    EXPECT_DOUBLE_EQ(second.at("min_ns").get<double>(), 10);
    EXPECT_DOUBLE_EQ(second.at("mean_ns").get<double>(), 25);
    EXPECT_DOUBLE_EQ(second.at("max_ns").get<double>(), 40);
    EXPECT_TRUE(second.contains("p99_ns"));
}

TEST(RunJson, GivesEveryStartWhereThereAreSeveral) {
    SampleStore sample({point_spec(0, "bcast", 1000)}, "sample", "runs = 2\n");
    sample.store.add_points(sample.run, 1, std::vector{point_spec(1, "bcast", 1000)});
    sample.put(0, {block_of(0, 0, samples_of({1, 2, 3}))});
    sample.put(1, {block_of(0, 0, samples_of({3, 4, 5}))});
    const auto json = json_of(sample);
    ASSERT_EQ(json.at("points").size(), 1U);
    const auto& starts = json.at("points").at(0).at("starts");
    EXPECT_EQ(starts.at("values_ns"), ordered_json::array({2.0, 4.0}));
    EXPECT_DOUBLE_EQ(starts.at("variance_within_ns2").get<double>(), 1);
    EXPECT_NEAR(starts.at("variance_between_ns2").get<double>(), 2 - 1.0 / 3, 1e-12);
}

TEST(RunJson, GivesSwitchesWhereTheyWereSought) {
    const SampleStore sample({});
    analysis::RunResult result;
    result.run = sample.store.find_run("last");
    EXPECT_FALSE(run_json(sample.store, result).contains("switches"));
    result.switches_sought = true;
    EXPECT_EQ(run_json(sample.store, result).at("switches"), ordered_json::array()) << "none is an answer";
    result.switches.push_back({.key = {.operation = "bcast", .procs = 64},
                               .found = {.last_below = 12'288,
                                         .first_above = 12'289,
                                         .before = 1'000,
                                         .after = 1'800,
                                         .jump = true,
                                         .significance = 55}});
    result.switches.push_back({.key = {.operation = "allreduce", .procs = 2},
                               .found = {.last_below = 100,
                                         .first_above = 200,
                                         .before = 50,
                                         .after = 50,
                                         .jump = false,
                                         .significance = 5,
                                         .slope_before = 1,
                                         .slope_after = 2}});
    const auto json = run_json(sample.store, result).at("switches");
    ASSERT_EQ(json.size(), 2U);
    EXPECT_EQ(json[0], (ordered_json{{"operation", "bcast"},
                                     {"pattern", ""},
                                     {"procs", 64},
                                     {"scheme", ""},
                                     {"progress", ""},
                                     {"setting", ""},
                                     {"size_bytes", 12'288},
                                     {"last_below_bytes", 12'288},
                                     {"first_above_bytes", 12'289},
                                     {"exact", true},
                                     {"kind", "jump"},
                                     {"before_ns", 1'000.0},
                                     {"after_ns", 1'800.0},
                                     {"ratio", 1.8},
                                     {"significance_sigma", 55.0},
                                     {"text", "switch at 12288 B, 1.8 times slower above"}}));
    EXPECT_EQ(json[1].at("exact"), false);
    EXPECT_EQ(json[1].at("kind"), "bend");
    EXPECT_EQ(json[1].at("text"), "bend between 100 B and 200 B, 2.0 times steeper above");
}

TEST(Document, IsOneParsableTextThatEndsInANewline) {
    SampleStore sample({point_spec(0, "bcast", 8)});
    const auto text = document(json_of(sample));
    EXPECT_EQ(text.back(), '\n');
    EXPECT_EQ(ordered_json::parse(text), json_of(sample));
}

TEST(Document, ReplacesBytesThatAreNoText) {
    const auto text = document(ordered_json{{"label", "a\xff"}});
    EXPECT_EQ(ordered_json::parse(text).at("label"), "a\xef\xbf\xbd");
}

}  // namespace
}  // namespace fathom::report
