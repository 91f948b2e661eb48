#pragma once

#include <string>

namespace fathom::probe::mpi {

/// What the library made of the wish for a thread that makes communication go on.
struct ProgressThread {
    std::string lack = {};            ///< why it has none; empty: it has one, or does not tell
    bool between_hosts_only = false;  ///< messages within a host go another way, without it
    std::string text = {};            ///< the settings that reached this process, and what they led to
};

/// Asks the library, by its control variables (MPI_T). To be called after MPI_Init.
ProgressThread find_progress_thread();

}  // namespace fathom::probe::mpi
