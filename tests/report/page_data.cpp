#include "report/page_data.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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
    const auto run = page_run_json(sample.store, sample.store.find_run("last"), "the run",
                                   [&](const auto& /*point*/) { ++told; });
    EXPECT_EQ(told, 2);
    EXPECT_EQ(run["name"], "the run");
    EXPECT_EQ(run["operations"]["bcast"]["sized"], true);
    ASSERT_EQ(run["points"].size(), 2U);
    const auto& spread = run["points"][0]["spread"];
    EXPECT_EQ(spread["quantiles"][4], nlohmann::ordered_json({0.5, 25.0}));
    EXPECT_EQ(spread["ranks"]["median_ns"], nlohmann::ordered_json({20.0, 25.0}));
    EXPECT_FALSE(run["points"][1].contains("spread"));
    const auto data = page_data({run});
    EXPECT_EQ(data["schema"], "fathom.report/1");
    EXPECT_EQ(data["runs"].size(), 1U);
}

}  // namespace
}  // namespace fathom::report
