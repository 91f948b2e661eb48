#pragma once

#include <exception>

/// How a rank leaves MPI.
namespace fathom::probe::mpi {

/// Calls MPI_Finalize. MPICH 4.0 over UCX and TCP hangs there now and then with three ranks or more: with it
/// alone, the process ends without it after 5 s and says so. A hang with any other library is the
/// supervisor's to report.
void finalize();

/// Ends the whole job, since the other ranks may be anywhere, after saying why.
void abort_job(const std::exception& error);

}  // namespace fathom::probe::mpi
