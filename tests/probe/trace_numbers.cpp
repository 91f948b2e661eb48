#include "probe/loops/trace_numbers.hpp"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probe/fakes.hpp"
#include "probe/loops/in_a_row.hpp"
#include "probe/loops/timed_loop.hpp"
#include "probe/start/none.hpp"

namespace fathom::probe {
namespace {

using fakes::FakeClock;
using ::testing::ElementsAre;

TEST(TraceNumbers, FollowTheRepetitionsOfAPoint) {
    TraceNumbers numbers(1);
    for (std::int64_t rep = 0; rep < 5; ++rep) {
        numbers.begin(rep, 30 + rep);
    }
    EXPECT_FALSE(numbers.in_point(29)) << "to warm up";
    EXPECT_EQ(numbers.in_point(30), 0);
    EXPECT_EQ(numbers.in_point(34), 4);
    EXPECT_FALSE(numbers.in_point(35)) << "after the last";
}

TEST(TraceNumbers, LeaveOutCallsThatLeadIn) {
    TraceNumbers numbers(1);
    numbers.begin(0, 10);  // leads in
    numbers.begin(0, 11);
    numbers.begin(1, 12);
    numbers.begin(2, 13);  // leads in
    numbers.begin(2, 14);
    EXPECT_FALSE(numbers.in_point(10));
    EXPECT_EQ(numbers.in_point(11), 0);
    EXPECT_EQ(numbers.in_point(12), 1);
    EXPECT_FALSE(numbers.in_point(13));
    EXPECT_EQ(numbers.in_point(14), 2);
}

TEST(TraceNumbers, CountTheCallsWithinARepetition) {
    TraceNumbers numbers(4);
    numbers.begin(7, 100);
    numbers.begin(8, 104);
    EXPECT_EQ(numbers.in_point(100), 28);
    EXPECT_EQ(numbers.in_point(103), 31);
    EXPECT_EQ(numbers.in_point(107), 35);
    EXPECT_FALSE(numbers.in_point(108));
}

TEST(TraceNumbers, OfNoRepetitionAreNone) {
    const TraceNumbers numbers(1);
    EXPECT_FALSE(numbers.in_point(0));
    EXPECT_TRUE(numbers.renumbered({{.call = 3, .collector = 1, .down_ns = 10}}).empty());
}

TEST(TraceNumbers, ReplaceThoseOfEvents) {
    TraceNumbers numbers(1);
    numbers.begin(20, 5);
    const journal::CallEvent event{.call = 5, .collector = 1, .down_ns = 10, .up_ns = 20};
    auto before = event;
    before.call = 4;
    auto expected = event;
    expected.call = 20;
    EXPECT_THAT(numbers.renumbered({before, event}), ElementsAre(expected));
}

/// Each call leaves an event.
class Recording : public Operation, public Traced {
  public:
    explicit Recording(FakeClock& clock) : clock_(clock) {}

    void call() override {
        trace_.events.push_back({.call = calls_++, .collector = 0, .down_ns = clock_.time_ns});
        clock_.time_ns += 10;
    }
    void prepare_check() override {}
    [[nodiscard]] std::string check() const override { return {}; }
    [[nodiscard]] Traced* traced() override { return this; }
    [[nodiscard]] std::int64_t calls() const override { return calls_; }
    [[nodiscard]] std::int64_t events_per_call() const override { return 1; }
    void begin_trace() override { trace_ = {}; }
    Trace take_trace() override { return std::exchange(trace_, {}); }

  private:
    FakeClock& clock_;
    std::int64_t calls_ = 0;
    Trace trace_;
};

TEST(NumberedOperation, TellsWhichCallsBelongToWhichRepetition) {
    FakeClock clock;
    Recording operation(clock);
    operation.call();  // to warm up
    TraceNumbers numbers(2);
    InARow row(operation, 2);
    Numbered numbered(row, &numbers);
    ASSERT_EQ(numbered.traced(), operation.traced());
    NoStart start;
    std::vector<journal::Sample> samples;
    run_timed(clock, start, numbered, 4, 2, samples);
    std::vector<std::int64_t> calls;
    for (const auto& event : numbers.renumbered(operation.take_trace().events)) {
        calls.push_back(event.call);
    }
    EXPECT_THAT(calls, ElementsAre(8, 9, 10, 11)) << "two calls in each of the repetitions 4 and 5";
}

}  // namespace
}  // namespace fathom::probe
