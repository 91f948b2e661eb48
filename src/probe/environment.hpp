#pragma once

#include <string>

#include "journal/journal.hpp"
#include "plan/plan.hpp"
#include "probe/interfaces/group.hpp"
#include "probe/mpi/local_clock.hpp"

namespace fathom::probe {

/// Writes the job and its plan, all ranks and, once each, all hosts to the journal (on rank 0). Collective.
/// Rank 0 holds one rank's record at a time.
/// `empty` is what an empty repetition takes on this rank; `progress` is written where a progress thread was
/// requested.
void record_environment(Group& world, const mpi::LocalClock& clock, Nanoseconds empty, const plan::Plan& plan,
                        const std::string& progress, journal::Writer* journal);

}  // namespace fathom::probe
