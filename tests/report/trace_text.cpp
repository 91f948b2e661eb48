#include "report/trace_text.hpp"

#include <gtest/gtest.h>

namespace fathom::report {
namespace {

TEST(TraceText, SaysHowMuchWasRecordedAndHowMuchWasDropped) {
    analysis::RunResult result;
    result.points.resize(3);
    EXPECT_EQ(trace_text(result), "");
    result.points[1].trace =
        store::TraceRow{.every = 1, .events = 1'000, .dropped = 0, .stored_bytes = 2'500};
    EXPECT_EQ(
        trace_text(result),
        "\nTraced: 1 000 events inside the calls of 1 point, 2.5 bytes each in the file (24 in memory), none "
        "dropped.\n");
    result.points[2].trace = store::TraceRow{.every = 1, .events = 0, .dropped = 7, .stored_bytes = 20};
    EXPECT_EQ(
        trace_text(result),
        "\nTraced: 1 000 events inside the calls of 2 points, 2.5 bytes each in the file (24 in memory), 7 "
        "dropped.\n");
    result.points[1].trace->stored_bytes = 7;
    EXPECT_NE(trace_text(result).find(", less than 0.1 bytes each in the file"), std::string::npos);
}

TEST(BytesPerEvent, AreNoneWithoutEvents) {
    EXPECT_EQ(bytes_per_event(store::TraceRow{.events = 0, .stored_bytes = 9}), 0);
    EXPECT_EQ(bytes_per_event(store::TraceRow{.events = 4, .stored_bytes = 10}), 2.5);
}

}  // namespace
}  // namespace fathom::report
