#pragma once

#include <map>
#include <memory>
#include <string>

#include "clock/names.hpp"
#include "probe/clock/synchroniser.hpp"
#include "probe/interfaces/clock.hpp"

namespace fathom::probe::mpi {

/// The clock of this rank and what others need to know of it.
struct LocalClock {
    std::unique_ptr<Clock> clock;
    ClockPlace place;
    /// The quality of each time source on this host, by name: for the run's description.
    std::map<std::string, std::string> described;
};

/// Creates the requested clock (automatic: the first that is steady on all ranks; in simulation always
/// MPI_Wtime). Collective over `world`. Throws BadInput if it cannot be had.
LocalClock make_local_clock(Group& world, clock::Source requested);

}  // namespace fathom::probe::mpi
