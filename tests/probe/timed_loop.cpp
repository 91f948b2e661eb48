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
    run_timed(clock, start, operation, 4, samples);
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
    run_timed(clock, start, operation, 10, samples);
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
    run_timed(clock, start, operation, 2, samples);
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
    run_timed(clock, start, operation, 1000, samples);
    EXPECT_EQ(samples.data(), room);
}

TEST(TimedLoop, OfNoRepetitionsDoesNothing) {
    FakeClock clock;
    FakeStart start(clock, 7);
    FakeOperation operation(clock, {5});
    std::vector<Sample> samples;
    run_timed(clock, start, operation, 0, samples);
    EXPECT_TRUE(samples.empty());
    EXPECT_EQ(clock.time_ns, 0);
}

}  // namespace
}  // namespace fathom::probe
