#pragma once

#include <memory>

#include "probe/loops/clock.hpp"

namespace fathom::probe {

/// The clock of this rank: CLOCK_MONOTONIC_RAW, in simulation the simulated time.
std::unique_ptr<Clock> make_local_clock();

}  // namespace fathom::probe
