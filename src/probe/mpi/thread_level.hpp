#pragma once

#include <string_view>

#include "plan/choices.hpp"

/// Which threads of a rank may call MPI.
namespace fathom::probe::mpi {

/// Initialises MPI as a program that needs this level does: by MPI_Init for a single thread, since some
/// libraries take locks in every call as soon as another level was requested, else by MPI_Init_thread. The
/// library may provide another level.
void initialise(int& argc, char**& argv, plan::ThreadLevel level);

/// The level that the library provides.
plan::ThreadLevel provided_thread_level();

/// `MPI_THREAD_SINGLE`
std::string_view constant_of(plan::ThreadLevel level);

}  // namespace fathom::probe::mpi
