#pragma once

#include "plan/clock_task.hpp"
#include "probe/clock/keeper.hpp"

namespace fathom::probe {

/// What the studies of the clock need.
struct ClockBench {
    Group& world;
    const Clock& clock;
    ClockPlace place;
    SyncRules rules;
    ClockKeeper& keeper;
    journal::Writer* journal = nullptr;  ///< rank 0 only
    std::uint64_t seed = 0;
};

// The studies of `fathom clock`. All are collective over the world; each is in the file of its name.

/// Synchronises `repeat` times, and once more at least half a second after the first, so that drift shows.
void run_clock_sync(ClockBench& bench, const plan::ClockTask& task);
/// Pairs of ranks exchange pings at intervals.
void run_clock_drift(ClockBench& bench, const plan::ClockTask& task);
/// Rank 0 and the first rank on another host (else the last) exchange many pings.
void run_clock_quality(ClockBench& bench, const plan::ClockTask& task);
/// Sets the clocks, then lets all ranks act at one instant, now and later, between fresh synchronisations.
void run_clock_check(ClockBench& bench, const plan::ClockTask& task);

}  // namespace fathom::probe
