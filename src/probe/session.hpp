#pragma once

#include <string>

namespace fathom::probe {

/// Executes a job file, on all ranks. Collective over MPI_COMM_WORLD.
/// Throws on what cannot be repaired within the job (no plan, no journal, an MPI error).
void run_session(const std::string& job_file);

}  // namespace fathom::probe
