#include "probe/loops/in_a_row.hpp"

#include <gtest/gtest.h>

#include "probe/fakes.hpp"
#include "probe/loops/timed_loop.hpp"
#include "probe/start/none.hpp"

namespace fathom::probe {
namespace {

using fakes::FakeClock;
using fakes::FakeOperation;

TEST(InARow, CallsSeveralTimesAndMakesReadyInBetween) {
    FakeClock clock;
    FakeOperation operation(clock, {100});
    InARow row(operation, 4);
    row.call();
    EXPECT_EQ(operation.events, "cncncnc");
    EXPECT_EQ(clock.time_ns, 400);
}

TEST(InARow, OfOneCallIsThatCall) {
    FakeClock clock;
    FakeOperation operation(clock, {100});
    InARow row(operation, 1);
    row.call();
    EXPECT_EQ(operation.events, "c");
}

TEST(InARow, IsOneRepetitionToTheLoop) {
    FakeClock clock;
    FakeOperation operation(clock, {100, 200, 300});
    operation.next_ns = 1;
    InARow row(operation, 3);
    NoStart start;
    std::vector<journal::Sample> samples;
    run_timed(clock, start, row, 0, 2, samples);
    EXPECT_EQ(operation.events, "ncncncncncnc") << "made ready once before every call";
    // Making ready counts between calls of a row, not before it.
    const std::vector<journal::Sample> expected{{{1}, {602}, true}, {{604}, {602}, true}};
    EXPECT_EQ(samples, expected);
}

TEST(InARow, EndsASeriesLikeTheOperationItself) {
    FakeClock clock;
    FakeOperation operation(clock, {100});
    InARow row(operation, 2);
    NoStart start;
    std::vector<journal::Sample> samples;
    run_timed(clock, start, row, 0, 2, samples);
    EXPECT_EQ(operation.series_ended, 1);
}

/// Records its requests.
class Telling : public Operation {
  public:
    void call() override {}
    void prepare_check() override { prepared = true; }
    [[nodiscard]] std::string check() const override { return prepared ? "wrong byte 3" : ""; }
    [[nodiscard]] std::string datatype() const override { return "float"; }

    bool prepared = false;
};

TEST(InARow, ChecksLikeTheOperationItself) {
    Telling operation;
    InARow row(operation, 5);
    EXPECT_EQ(row.check(), "");
    row.prepare_check();
    EXPECT_TRUE(operation.prepared);
    EXPECT_EQ(row.check(), "wrong byte 3");
    EXPECT_EQ(row.datatype(), "float");
}

}  // namespace
}  // namespace fathom::probe
