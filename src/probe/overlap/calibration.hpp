#pragma once

#include "probe/loops/clock.hpp"
#include "probe/overlap/worker.hpp"

namespace fathom::probe {

/// What a unit of `worker.work()` takes by this clock, found out in about 7 ms: as a rule, neither in the
/// luckiest moment nor while others had the processor, as long as they have it for less than a quarter of all
/// stretches of 20 us. The worker is warm afterwards, and its processor as fast as it usually is.
WorkRate calibrated(const Clock& clock, Worker& worker);

}  // namespace fathom::probe
