#pragma once

#include "probe/clock/tasks.hpp"

namespace fathom::probe {

/// One exchange between two ranks: `asking`, which is not rank 0, pings `answering`, and rank 0 writes it
/// into the journal. Called by the two and by rank 0.
void exchange_and_record(ClockBench& bench, int round, int asking, int answering, const PingRules& rules);

}  // namespace fathom::probe
