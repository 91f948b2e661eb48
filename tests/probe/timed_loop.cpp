#include "probe/loops/timed_loop.hpp"

#include <gtest/gtest.h>

#include "probe/fakes.hpp"
#include "probe/start/none.hpp"

namespace fathom::probe {
namespace {

using fakes::FakeClock;
using fakes::FakeOperation;
using fakes::FakeStart;
using journal::Sample;

TEST(TimedLoop, KeepsTheTimeOfEverySingleCall) {
    FakeClock clock;
    clock.time_ns = 1'000'000'000'000;
    FakeStart start(clock, 7);
    FakeOperation operation(clock, {100, 250, 90});
    std::vector<Sample> samples;
    run_timed(clock, start, operation, 0, 4, samples);
    const std::vector<Sample> expected{{{1'000'000'000'007}, {100}, true},
                                       {{1'000'000'000'114}, {250}, true},
                                       {{1'000'000'000'371}, {90}, true},
                                       {{1'000'000'000'468}, {100}, true}};
    EXPECT_EQ(samples, expected);
}

TEST(TimedLoop, DoesNotCountTheWaitForTheOthers) {
    FakeClock clock;
    FakeStart start(clock, 1'000'000);
    FakeOperation operation(clock, {5});
    std::vector<Sample> samples;
    run_timed(clock, start, operation, 0, 10, samples);
    for (const auto& sample : samples) {
        EXPECT_EQ(sample.duration.count, 5);
    }
    EXPECT_EQ(start.aligned, 10U);
}

TEST(TimedLoop, AppendsToWhatIsThere) {
    FakeClock clock;
    NoStart start;
    FakeOperation operation(clock, {5});
    std::vector<Sample> samples{{{-1}, {-1}, false}};
    run_timed(clock, start, operation, 0, 2, samples);
    ASSERT_EQ(samples.size(), 3U);
    EXPECT_EQ(samples[2], (Sample{{5}, {5}, true}));
}

TEST(TimedLoop, AllocatesNothingWhereRoomIsReserved) {
    FakeClock clock;
    NoStart start;
    FakeOperation operation(clock, {5});
    std::vector<Sample> samples;
    samples.reserve(1000);
    const auto* const room = samples.data();
    run_timed(clock, start, operation, 0, 1000, samples);
    EXPECT_EQ(samples.data(), room);
}

TEST(TimedLoop, OfNoRepetitionsDoesNothing) {
    FakeClock clock;
    FakeStart start(clock, 7);
    FakeOperation operation(clock, {5});
    std::vector<Sample> samples;
    run_timed(clock, start, operation, 0, 0, samples);
    EXPECT_TRUE(samples.empty());
    EXPECT_EQ(clock.time_ns, 0);
}

TEST(TimedLoop, MakesReadyBeforeEveryRepetitionAndDoesNotCountIt) {
    FakeClock clock;
    FakeStart start(clock, 7);
    FakeOperation operation(clock, {100});
    operation.next_ns = 5'000;
    std::vector<Sample> samples;
    run_timed(clock, start, operation, 0, 3, samples);
    EXPECT_EQ(operation.events, "ncncnc");
    const std::vector<Sample> expected{
        {{5'007}, {100}, true}, {{10'114}, {100}, true}, {{15'221}, {100}, true}};
    EXPECT_EQ(samples, expected);
}

/// Every reading takes this long.
class SlowClock : public FakeClock {
  public:
    [[nodiscard]] Nanoseconds now() const override {
        ++readings;
        return {readings * cost_ns + (readings % 100 == 0 ? hiccup_ns : 0)};
    }

    std::int64_t cost_ns = 23;
    std::int64_t hiccup_ns = 0;
    mutable std::int64_t readings = 0;
};

TEST(EmptyRepetition, TakesWhatAReadingOfTheClockTakes) {
    const SlowClock clock;
    EXPECT_EQ(empty_repetition(clock).count, 23);
}

TEST(EmptyRepetition, IsNotMisledByAFewLongOnes) {
    SlowClock clock;
    clock.hiccup_ns = 1'000'000;
    EXPECT_EQ(empty_repetition(clock).count, 23);
}

/// Reads the clock as often as it takes to pass some time.
class SlowBarrier : public Start {
  public:
    explicit SlowBarrier(const Clock& clock) : clock_(clock) {}
    bool align() override {
        static_cast<void>(clock_.now());
        static_cast<void>(clock_.now());
        return true;
    }

  private:
    const Clock& clock_;
};

TEST(BarrierTime, IsWithoutTheTimeStamps) {
    const SlowClock clock;
    SlowBarrier barrier(clock);
    EXPECT_EQ(barrier_time(clock, barrier, {23}).count, 2 * 23);
    EXPECT_EQ(barrier_time(clock, barrier, {1'000}).count, 0) << "nothing takes less than no time";
}

TEST(EmptyRepetition, IsNothingWhereTimeStandsStill) {
    const FakeClock clock;
    EXPECT_EQ(empty_repetition(clock).count, 0);
}

}  // namespace
}  // namespace fathom::probe
