#pragma once

#include <string>

#include "plan/choices.hpp"

namespace fathom::probe::mpi {

/// The MPI library this probe was compiled for; set by the build.
inline constexpr auto flavour = from_text<plan::Flavour>(FATHOM_FLAVOUR).value();

/// In simulation all ranks share one process and time is not the host's.
#ifdef FATHOM_SIMULATED
inline constexpr bool simulated = true;
#else
inline constexpr bool simulated = false;
#endif

/// MPI_Get_library_version on one line.
std::string library_version();

/// The file that the library's calls are in; empty if the system does not tell.
std::string library_file();

/// The MPI standard the library speaks, as `3.1`.
std::string standard_version();

/// MPI_Get_processor_name.
std::string processor_name();

}  // namespace fathom::probe::mpi
