#include "report/page/page_data.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "journal/json.hpp"
#include "report/point_analyses/point_analyses.hpp"
#include "store/sample_store.hpp"

namespace fathom::report {
namespace {

using testing::block_of;
using testing::point_spec;
using testing::samples_of;
using testing::SampleStore;

TEST(PageData, HasEveryPointWithItsSpreadAndTellsOfEach) {
    SampleStore sample({point_spec(0, "bcast", 8), point_spec(1, "bcast", 16)});
    sample.put(0, {block_of(0, 0, samples_of({10, 20, 30})), block_of(1, 0, samples_of({15, 25, 35}))});
    int told = 0;
    auto page = page_run(sample.store, sample.store.find_run("last"), "the run",
                         [&](const auto& /*point*/) { ++told; });
    const auto& run = page.json;
    EXPECT_EQ(told, 2);
    EXPECT_EQ(run["name"], "the run");
    EXPECT_EQ(run["operations"]["bcast"]["sized"], true);
    ASSERT_EQ(run["points"].size(), 2U);
    const auto& spread = run["points"][0]["spread"];
    EXPECT_EQ(spread["quantiles"][4], nlohmann::ordered_json({0.5, 25.0}));
    EXPECT_EQ(spread["ranks"]["median_ns"], nlohmann::ordered_json({20.0, 25.0}));
    EXPECT_FALSE(run["points"][1].contains("spread"));
    const auto data = page_data({std::move(page)});
    EXPECT_EQ(data["schema"], "fathom.report/1");
    EXPECT_EQ(data["runs"].size(), 1U);
    EXPECT_EQ(data["comparisons"].size(), 0U);
}

TEST(PageData, CallsTheTimeOfOneMessageALatencyAndNoOther) {
    const std::vector<std::string> names{"pingpong",  "pairs",     "matrix", "bcast",
                                         "bandwidth", "put.fence", "duplex"};
    for (const bool whole : {false, true}) {
        std::vector<plan::PointSpec> points;
        for (std::size_t i = 0; i < names.size(); ++i) {
            points.push_back(point_spec(static_cast<int>(i), names[i], 8));
        }
        const SampleStore sample(points, "sample", whole ? "round_trip = \"whole\"\n" : "");
        const auto page =
            page_run(sample.store, sample.store.find_run("last"), "", [](const auto& /*point*/) {});
        std::vector<std::string> latencies;
        for (const auto& [name, operation] : page.json["operations"].items()) {
            if (operation["latency"] == true) {
                latencies.push_back(name);
            }
        }
        EXPECT_EQ(latencies, whole ? std::vector<std::string>({"pairs", "matrix"})
                                   : std::vector<std::string>({"pingpong", "pairs", "matrix"}));
    }
}

TEST(PageData, HasWhatShowSaysOfAPointWithFewerDigits) {
    SampleStore sample({point_spec(0, "bcast", 8)});
    sample.put(0, {block_of(0, 0, samples_of({10, 20, 40})), block_of(1, 0, samples_of({15, 25, 35}))});
    const auto run = sample.store.find_run("last");
    nlohmann::ordered_json shown;
    analysis::evaluate(sample.store, run, {}, {.analyses = true, .visit = [&](const auto& samples) {
                                                   shown = analyses_json(
                                                       samples, [](const auto& /*row*/) { return true; });
                                               }});
    const auto page = page_run(sample.store, run, "the run", [](const auto& /*point*/) {});
    const auto& point = page.json["points"][0];
    ASSERT_EQ(shown.size(), point_analyses().size());
    const auto flat = shown.flatten();
    for (const auto& [path, value] : flat.items()) {
        const auto& other = point.at(nlohmann::ordered_json::json_pointer(path));
        if (value.is_number_float()) {
            EXPECT_NEAR(other.get<double>(), value.get<double>(), 1e-5 * std::abs(value.get<double>()))
                << path;
        } else if (value.is_null()) {
            EXPECT_TRUE(other.empty()) << path;  // nothing, or an empty list
        } else {
            EXPECT_EQ(other, value) << path;
        }
    }
    EXPECT_EQ(point["tails"]["mean_ns"], 26.6667);
}

TEST(PageData, HoldsLaterRunsAgainstTheFirst) {
    const auto run_with = [](const char* operation, std::int64_t time) {
        SampleStore sample({point_spec(0, operation, 8)});
        sample.put(0, {block_of(0, 0, samples_of(std::vector<std::int64_t>(40, time)))});
        return page_run(sample.store, sample.store.find_run("last"), "a run", [](const auto& /*point*/) {});
    };
    std::vector<PageRun> runs;
    runs.push_back(run_with("bcast", 1'000));
    runs.push_back(run_with("reduce", 1'000));
    runs.push_back(run_with("bcast", 1'500));
    const auto data = page_data(std::move(runs));
    ASSERT_EQ(data["comparisons"].size(), 1U) << "a run without a point in common is not compared";
    const auto& comparison = data["comparisons"][0];
    EXPECT_EQ(comparison["run_index"], 2);
    EXPECT_EQ(comparison["points"][0]["ratio"], 1.5);
    EXPECT_EQ(comparison["points"][0]["verdict"], "slower");
    EXPECT_EQ(comparison["text"], "1 of 1 point is slower by more than 5 %.");
}

}  // namespace
}  // namespace fathom::report
