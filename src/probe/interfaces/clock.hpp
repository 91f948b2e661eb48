#pragma once

#include <string_view>

#include "base/units.hpp"

namespace fathom::probe {

struct CounterRate;

/// Local time of one rank. A reading is ordered against the code around it.
class Clock {
  public:
    Clock() = default;
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;
    virtual ~Clock() = default;

    [[nodiscard]] virtual Nanoseconds now() const = 0;
    [[nodiscard]] virtual std::string_view name() const = 0;

    /// Length of a tick where it is known; 0 where it has to be found out.
    [[nodiscard]] virtual double tick_ns() const { return 0; }

    /// The rate of the processor's counter if this clock shows it: who cannot afford now() reads ticks
    /// (base/ticks.hpp) and converts them later. Null otherwise.
    [[nodiscard]] virtual const CounterRate* counter() const { return nullptr; }

    /// Returns as soon as the clock shows `time`, with the reading that showed it. Long waits leave the
    /// processor to others until shortly before.
    virtual Nanoseconds wait_until(Nanoseconds time) const;
};

}  // namespace fathom::probe
