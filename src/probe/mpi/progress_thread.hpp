#pragma once

#include <string>

namespace fathom::probe::mpi {

/// The library's response to the request for a progress thread.
struct ProgressThread {
    std::string lack = {};            ///< why it has none; empty: it has one, or does not report it
    bool between_hosts_only = false;  ///< messages within a host go another way, without it
    std::string text = {};            ///< the settings that reached this process, and what they led to
};

/// Queries the library's control variables (MPI_T). To be called after MPI_Init.
ProgressThread find_progress_thread();

}  // namespace fathom::probe::mpi
