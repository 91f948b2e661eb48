#include "report/run_text.hpp"

#include <gmock/gmock.h>

#include "report/terminals.hpp"
#include "store/sample_store.hpp"

namespace fathom::report {
namespace {

using ::testing::HasSubstr;

analysis::PointResult stream_of(std::int64_t size) {
    analysis::PointResult point;
    point.key = {.operation = "message-rate", .procs = 2, .size = {size}};
    point.status = store::PointStatus::ok;
    point.measures = {{.kind = analysis::MeasureKind::messages_per_s, .value = 1e6, .ci95 = {}}};
    return point;
}

TEST(RunText, HasALineForTheMeasuresOfEachPoint) {
    const fathom::testing::SampleStore sample({fathom::testing::point_spec(0, "message-rate", 8)});
    analysis::RunResult result;
    result.run = sample.store.find_run("last");
    result.points = {stream_of(8), stream_of(16)};
    EXPECT_THAT(run_text(sample.store, result, plain),
                HasSubstr("\nmessage-rate, 8 B, 2 processes: 1 million messages/s\n"
                          "message-rate, 16 B, 2 processes: 1 million messages/s\n"));
}

}  // namespace
}  // namespace fathom::report
