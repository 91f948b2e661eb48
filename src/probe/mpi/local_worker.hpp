#pragma once

#include <memory>

#include "plan/choices.hpp"
#include "probe/overlap/worker.hpp"

namespace fathom::probe::mpi {

/// In simulation both kinds are simulated computing time, of which a unit takes 1 ns.
std::unique_ptr<Worker> make_worker(plan::Work kind, const Clock& clock);

}  // namespace fathom::probe::mpi
