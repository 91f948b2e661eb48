#pragma once

#include "probe/interfaces/clock.hpp"
#include "probe/overlap/worker.hpp"

namespace fathom::probe {

/// What a unit of `worker.work()` takes by this clock, found out in 5 to 9 ms: at its usual speed, neither in
/// a lucky moment nor while preempted, as long as that affects fewer than a quarter of all
/// stretches of 20 us. A processor that is asleep has come up to speed before that.
WorkRate calibrated(const Clock& clock, Worker& worker);

}  // namespace fathom::probe
