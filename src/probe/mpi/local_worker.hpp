#pragma once

#include <memory>
#include <string_view>

#include "probe/overlap/worker.hpp"

namespace fathom::probe::mpi {

/// By the name of the setting, `registers` or `memory`. In simulation both are simulated computing time, of
/// which a unit takes 1 ns.
std::unique_ptr<Worker> make_worker(std::string_view kind, const Clock& clock);

}  // namespace fathom::probe::mpi
