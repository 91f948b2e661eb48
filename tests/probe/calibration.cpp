#include "probe/overlap/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

namespace fathom::probe {
namespace {

constexpr double unit_ns = 1.1539;
constexpr double constant_ns = 6.5;

/// A fully known processor: what work and a reading of its clock take, and what else runs on
/// it.
struct Processor {
    double work_unit_ns = unit_ns;
    double work_constant_ns = constant_ns;
    double tick_ns = 1;
    double reading_ns = 20.3;
    double burst_ns = 0;  ///< that another one has the processor for, every 500 us
    double time_ns = 0;

    void run(double ns) {
        constexpr double period_ns = 500'000;
        while (true) {
            const double begun = std::floor(time_ns / period_ns) * period_ns;
            time_ns = std::max(time_ns, begun + burst_ns);
            const double free = begun + period_ns - time_ns;
            time_ns += std::min(ns, free);
            if (ns <= free) {
                return;
            }
            ns -= free;
        }
    }
};

class KnownClock : public Clock {
  public:
    explicit KnownClock(Processor& processor) : processor_(processor) {}
    [[nodiscard]] Nanoseconds now() const override {
        processor_.run(processor_.reading_ns);
        const double ticks = std::floor(processor_.time_ns / processor_.tick_ns);
        return {static_cast<std::int64_t>(ticks * processor_.tick_ns)};
    }
    [[nodiscard]] std::string_view name() const override { return "known"; }

  private:
    Processor& processor_;
};

/// Takes the same for every unit, times the factor of the moment.
class KnownWork : public Worker {
  public:
    explicit KnownWork(
        Processor& processor, std::function<double()> factor = [] { return 1.0; })
        : processor_(processor), factor_(std::move(factor)) {}
    void work(std::int64_t units) override {
        const double whole =
            processor_.work_constant_ns + static_cast<double>(units) * processor_.work_unit_ns;
        processor_.run(whole * factor_());
    }
    void work_until(Nanoseconds /*time*/) override {}
    WorkRate calibrate() override { return {}; }

  private:
    Processor& processor_;
    std::function<double()> factor_;
};

TEST(Calibration, FindsTheRateOfAKnownKernel) {
    Processor processor;
    KnownWork work(processor);
    const auto rate = calibrated(KnownClock(processor), work);
    EXPECT_NEAR(rate.unit_ns, unit_ns, 1e-5 * unit_ns);
    EXPECT_NEAR(rate.constant_ns, constant_ns, 0.2);
}

TEST(Calibration, KeepsAMicrosecondToOnePercentByAClockOfLongTicks) {
    for (const double tick_ns : {10.0, 40.0, 41.667, 100.0}) {
        Processor processor{.tick_ns = tick_ns};
        KnownWork work(processor);
        const auto rate = calibrated(KnownClock(processor), work);
        EXPECT_NEAR(rate.unit_ns, unit_ns, 1e-3 * unit_ns) << "ticks of " << tick_ns;
        const double taken = constant_ns + static_cast<double>(rate.units_for({1'000})) * unit_ns;
        EXPECT_NEAR(taken, 1'000, 10) << "ticks of " << tick_ns;
    }
}

TEST(Calibration, IsNotFooledByWorkInStepWithTheTicks) {
    for (const double work_ns : {1.0, 2.0, 4.0, 8.0, 10.0, 20.0}) {
        for (const double reading_ns : {10.0, 20.0, 25.0, 30.0}) {
            Processor processor{
                .work_unit_ns = work_ns, .work_constant_ns = 0, .tick_ns = 40, .reading_ns = reading_ns};
            KnownWork work(processor);
            const auto rate = calibrated(KnownClock(processor), work);
            EXPECT_NEAR(rate.unit_ns, work_ns, 1e-3 * work_ns) << "a reading takes " << reading_ns;
            EXPECT_NEAR(rate.constant_ns, 0, 6) << "a reading takes " << reading_ns << ", a unit " << work_ns;
        }
    }
}

TEST(Calibration, DoesNotCountWhatAThiefTakes) {
    Processor processor{.burst_ns = 100'000};
    KnownWork work(processor);
    const auto rate = calibrated(KnownClock(processor), work);
    EXPECT_NEAR(rate.unit_ns, unit_ns, 1e-5 * unit_ns);
    EXPECT_NEAR(rate.constant_ns, constant_ns, 0.2);
}

TEST(Calibration, WaitsForTheProcessorToComeUpToSpeed) {
    Processor processor;
    constexpr double until_ns = 3e6;
    KnownWork work(processor, [&] { return std::max(1.0, 2 - processor.time_ns / until_ns); });
    const auto rate = calibrated(KnownClock(processor), work);
    EXPECT_NEAR(rate.unit_ns, unit_ns, 1e-3 * unit_ns);
}

TEST(Calibration, TakesTheUsualSpeedAndNotALuckyOne) {
    Processor processor;
    int calls = 0;
    KnownWork work(processor, [&] { return ++calls % 7 == 0 ? 0.8 : 1.0; });
    const auto rate = calibrated(KnownClock(processor), work);
    EXPECT_NEAR(rate.unit_ns, unit_ns, 1e-3 * unit_ns);
}

TEST(Calibration, TakesTenMillisecondsAtMost) {
    Processor processor;
    KnownWork work(processor, [&] { return std::max(1.0, 2 - processor.time_ns / 1e9); });  // never settles
    calibrated(KnownClock(processor), work);
    EXPECT_LT(processor.time_ns, 20e6) << "at half of the speed";
    processor.time_ns = 1e9;
    calibrated(KnownClock(processor), work);
    EXPECT_LT(processor.time_ns - 1e9, 10e6);
}

}  // namespace
}  // namespace fathom::probe
