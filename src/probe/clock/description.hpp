#pragma once

#include <string>

#include "probe/interfaces/clock.hpp"

namespace fathom::probe {

/// The quality of a time source on this host.
struct ClockDescription {
    double resolution_ns = 0;  ///< smallest step seen
    double read_cost_ns = 0;   ///< median
    /// `yes`, `no`, or `not tested` where only one processor could be visited.
    std::string monotone_across_cpus;

    /// `resolution 1 ns, read cost 16 ns, monotone across processors: yes`
    [[nodiscard]] std::string text() const;
};

/// Observes a clock for some milliseconds.
ClockDescription describe(const Clock& clock);

}  // namespace fathom::probe
