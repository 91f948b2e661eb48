#pragma once

#include <string_view>

#include "base/units.hpp"

namespace fathom::probe {

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

    /// Returns as soon as the clock shows `time`, with the reading that showed it. Long waits leave the
    /// processor to others until shortly before.
    virtual Nanoseconds wait_until(Nanoseconds time) const;
};

}  // namespace fathom::probe
