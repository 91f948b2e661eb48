#include "report/json.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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
    for (const auto* field : {"operation", "pattern", "procs", "size_bytes", "status", "reason", "reps",
                              "invalid_reps", "median_ns", "median_ci95_ns", "min_ns", "mean_ns", "p99_ns",
                              "max_ns", "start_skew_median_ns", "clock_bound_ns", "warnings"}) {
        EXPECT_TRUE(point.contains(field)) << field;
    }
}

TEST(RunJson, GivesTimesAsNumbersOfNanoseconds) {
    SampleStore sample({point_spec(0, "bcast", 1000)});
    sample.put(0, {block_of(0, 0, samples_of({100, 200, 300, 400, 500, 600}))});
    const auto point = json_of(sample).at("points").at(0);
    EXPECT_EQ(point.at("operation"), "bcast");
    EXPECT_EQ(point.at("pattern"), "all");
    EXPECT_EQ(point.at("procs"), 2);
    EXPECT_EQ(point.at("size_bytes"), 1000);
    EXPECT_EQ(point.at("status"), "ok");
    EXPECT_EQ(point.at("reps"), 6);
    EXPECT_EQ(point.at("invalid_reps"), 0);
    EXPECT_DOUBLE_EQ(point.at("median_ns").get<double>(), 350);
    EXPECT_EQ(point.at("median_ci95_ns"), ordered_json::array({100.0, 600.0}));
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
    sample.store.put_warning(sample.run, {"note", "virtual", "h0: virtual", "compare minima"});
    const auto json = json_of(sample);
    EXPECT_EQ(json.at("mpi_version"), "Open MPI v4");
    EXPECT_EQ(json.at("simulated"), false);
    EXPECT_EQ(json.at("time_source"), "monotonic_raw");
    EXPECT_EQ(
        json.at("ranks"),
        ordered_json::array(
            {{{"rank", 0}, {"host", "h0"}, {"pid", 10}, {"binding", "0-1"}, {"empty_repetition_ns", 0}}}));
    EXPECT_EQ(json.at("environment").at("job").at("A"), "1");
    EXPECT_EQ(json.at("environment").at("h0").at("cores"), "4");
    EXPECT_EQ(json.at("points"), ordered_json::array());
    EXPECT_EQ(json.at("warnings").at(0), (ordered_json{{"severity", "note"},
                                                       {"code", "virtual"},
                                                       {"text", "h0: virtual"},
                                                       {"remedy", "compare minima"}}));
}

TEST(RunJson, KeepsSizesBeyond2GiBExact) {
    SampleStore sample({point_spec(0, "bcast", (std::int64_t{16} << 30) + 1)});
    EXPECT_EQ(json_of(sample).at("points").at(0).at("size_bytes").dump(), "17179869185");
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
