#pragma once

#include "base/units.hpp"
#include "probe/interfaces/clock.hpp"
#include "probe/mpi/flavour.hpp"

namespace fathom::probe {

/// Keeps this rank busy for this long, like a program that computes.
inline void work_for(const Clock& clock, Nanoseconds time) {
    if (time.count <= 0) {
        return;
    }
    const auto end = clock.now() + time;
    if constexpr (mpi::simulated) {
        clock.wait_until(end);  // simulated time stands still while a rank spins
    } else {
        while (clock.now() < end) {
        }
    }
}

}  // namespace fathom::probe
