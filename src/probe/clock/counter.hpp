#pragma once

#include <cstdint>
#include <string>

#include "base/ticks.hpp"
#include "probe/interfaces/clock.hpp"

namespace fathom::probe {

/// How ticks of the processor's counter become nanoseconds: ticks x multiplier / 2^fraction_bits, in
/// integers. Ranks of one host must use the same, or their clocks drift apart.
struct CounterRate {
    static constexpr int fraction_bits = 56;
    std::uint64_t multiplier = 0;

    static CounterRate of_frequency(double ticks_per_s);
    [[nodiscard]] Nanoseconds nanoseconds(std::uint64_t ticks) const;
    [[nodiscard]] double ticks_per_s() const;
};

/// Why the counter of this host cannot serve as a clock; empty if it can (x86-64: invariant TSC that the
/// kernel trusts; aarch64: CNTVCT).
std::string counter_trouble();

/// The counter's rate: from its frequency register (aarch64), else compared with CLOCK_MONOTONIC_RAW for
/// about 50 ms. Throws NotMeasured if there is no counter, or its register is wrong.
CounterRate counter_rate();

class CounterClock : public Clock {
  public:
    explicit CounterClock(CounterRate rate) : rate_(rate) {}
    [[nodiscard]] Nanoseconds now() const override { return rate_.nanoseconds(ticks_in_order()); }
    [[nodiscard]] std::string_view name() const override { return "counter"; }
    [[nodiscard]] double tick_ns() const override { return 1e9 / rate_.ticks_per_s(); }
    [[nodiscard]] const CounterRate* counter() const override { return &rate_; }

  private:
    CounterRate rate_;
};

}  // namespace fathom::probe
