#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probe/clock/counter.hpp"
#include "probe/clock/description.hpp"
#include "probe/clock/identity.hpp"
#include "probe/clock/system_clock.hpp"
#include "probe/fakes.hpp"

namespace fathom::probe {
namespace {

TEST(CounterRate, TurnsTicksIntoNanosecondsInIntegers) {
    EXPECT_EQ(CounterRate::of_frequency(1e9).nanoseconds(123'456'789'012'345'678U).count,
              123'456'789'012'345'678);
    EXPECT_EQ(CounterRate::of_frequency(25e6).nanoseconds(1'000'000'007).count, 40'000'000'280);
    // 2.5 GHz for ten years: off by no more than the rate is (1 in 10^16).
    constexpr std::uint64_t ten_years_of_ticks = 788'400'000'000'000'000U;
    EXPECT_NEAR(static_cast<double>(CounterRate::of_frequency(2.5e9).nanoseconds(ten_years_of_ticks).count -
                                    315'360'000'000'000'000),
                0, 32);
}

TEST(CounterRate, KeepsItsFrequency) {
    for (const double frequency : {24e6, 54e6, 1e9, 1.05e9, 2.1e9, 5e9}) {
        EXPECT_NEAR(CounterRate::of_frequency(frequency).ticks_per_s(), frequency, frequency * 1e-12);
    }
}

TEST(Counter, AgreesWithTheKernelsClock) {
    if (!counter_trouble().empty()) {
        GTEST_SKIP() << counter_trouble();
    }
    const CounterClock counter(counter_rate());
    const MonotonicRaw raw;
    const auto before_begin = raw.now();
    const auto begin = counter.now();
    const auto after_begin = raw.now();
    const auto before_end = raw.wait_until(after_begin + Nanoseconds{20'000'000});
    const auto end = counter.now();
    const auto after_end = raw.now();
    // The counter's interval lies between the kernel's inner and outer one, even if preempted
    // in between.
    const auto seen = static_cast<double>((end - begin).count);
    EXPECT_LE(seen, static_cast<double>((after_end - before_begin).count) * 1.01);
    EXPECT_GE(seen, static_cast<double>((before_end - after_begin).count) * 0.99);
}

TEST(Counter, NeverRunsBackwards) {
    if (!counter_trouble().empty()) {
        GTEST_SKIP() << counter_trouble();
    }
    auto last = ticks_in_order();
    for (int i = 0; i < 100'000; ++i) {
        const auto next = ticks_in_order();
        ASSERT_GE(next, last);
        last = next;
    }
}

/// Ticks in steps of a number of nanoseconds, and advances by 70 ns per reading.
class CoarseClock : public Clock {
  public:
    explicit CoarseClock(std::int64_t step) : step_(step) {}
    [[nodiscard]] Nanoseconds now() const override {
        constexpr std::int64_t reading = 70;
        time_ += reading;
        return {time_ - time_ % step_};
    }
    [[nodiscard]] std::string_view name() const override { return "coarse"; }

  private:
    std::int64_t step_;
    mutable std::int64_t time_ = 0;
};

TEST(Description, FindsTheStepOfACoarseClock) {
    EXPECT_EQ(describe(CoarseClock(2'000)).resolution_ns, 2'000);
    EXPECT_EQ(describe(CoarseClock(10)).resolution_ns, 70) << "no finer than what a reading takes";
}

TEST(Description, SaysWhatAReadingCosts) {
    const auto description = describe(MonotonicRaw());
    EXPECT_GT(description.read_cost_ns, 0);
    EXPECT_THAT(description.monotone_across_cpus, ::testing::AnyOf("yes", "not tested"));
    EXPECT_THAT(description.text(), ::testing::HasSubstr("monotone across processors"));
}

/// Goes back when another processor is visited.
class TornClock : public Clock {
  public:
    [[nodiscard]] Nanoseconds now() const override {
        return base_.now() - Nanoseconds{std::int64_t{::sched_getcpu()} * 1'000'000'000};
    }
    [[nodiscard]] std::string_view name() const override { return "torn"; }

  private:
    MonotonicRaw base_;
};

TEST(Description, NoticesProcessorsThatDisagree) {
    cpu_set_t before;
    ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
    EXPECT_THAT(describe(TornClock()).monotone_across_cpus, ::testing::AnyOf("no", "not tested"));
    cpu_set_t after;
    ASSERT_EQ(::sched_getaffinity(0, sizeof after, &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&before, &after)) << "and is bound as before";
}

TEST(Description, TakesTheTickOfACounterFromItsFrequency) {
    EXPECT_EQ(describe(CounterClock(CounterRate::of_frequency(24e6))).resolution_ns, 42);
    EXPECT_EQ(describe(CounterClock(CounterRate::of_frequency(3e9))).resolution_ns, 1);
}

TEST(Identity, DependsOnSourceAndRate) {
    EXPECT_EQ(clock_identity(clock::Source::counter, "5"), clock_identity(clock::Source::counter, "5"));
    EXPECT_NE(clock_identity(clock::Source::counter, "5"), clock_identity(clock::Source::counter, "6"));
    EXPECT_NE(clock_identity(clock::Source::monotonic, ""), clock_identity(clock::Source::monotonic_raw, ""));
    EXPECT_EQ(clock_identity(clock::Source::wtime, ""), 0) << "its origin may differ in every process";
}

TEST(WaitUntil, ReturnsTheFirstReadingFromThenOn) {
    const MonotonicRaw clock;
    const auto target = clock.now() + Nanoseconds{5'000'000};
    EXPECT_GE(clock.wait_until(target), target);
    const auto passed = clock.wait_until({0});
    EXPECT_LE(passed, clock.now()) << "a time that has passed is not waited for";
}

}  // namespace
}  // namespace fathom::probe
