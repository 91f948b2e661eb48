#pragma once

#include <string>

#include "plan/choices.hpp"

namespace fathom::probe {

/// Executes a job file, on all ranks. Collective over MPI_COMM_WORLD. `level` is the thread level with which
/// MPI was to be initialised. Throws on what cannot be repaired within the job (no plan, no journal, an MPI
/// error).
void run_session(const std::string& job_file, plan::ThreadLevel level);

}  // namespace fathom::probe
