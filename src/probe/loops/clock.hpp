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
};

}  // namespace fathom::probe
