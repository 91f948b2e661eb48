#pragma once

#include <cstdint>
#include <vector>

#include "journal/samples.hpp"
#include "probe/interfaces/clock.hpp"
#include "probe/interfaces/operation.hpp"
#include "probe/interfaces/start.hpp"
#include "probe/loops/counter_sampler.hpp"

namespace fathom::probe {

/// Repeats an operation `count` times, from repetition `first` on, and keeps the time of every single call.
/// The room in `samples` is reserved by the caller, so that the loop allocates nothing. A `sampler` reads
/// counters in between; where only the operation keeps ranks in step, a call that is not timed follows what
/// all ranks read.
void run_timed(const Clock& clock, Start& start, Operation& operation, std::int64_t first, std::int64_t count,
               std::vector<journal::Sample>& samples, CounterSampler* sampler = nullptr);

/// What a repetition of nothing takes by this clock, time stamps and all: the median of `reps`.
Nanoseconds empty_repetition(const Clock& clock, std::int64_t reps = 1'001);

/// What a barrier takes by this clock when nothing else happens, without the time stamps (`empty`): the
/// median of many in a row. Collective.
Nanoseconds barrier_time(const Clock& clock, Start& barrier, Nanoseconds empty);

}  // namespace fathom::probe
