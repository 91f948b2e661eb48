#pragma once

#include <string_view>

namespace fathom::plan {

/// Whether an environment variable steers an MPI library or its transports.
bool steers_mpi(std::string_view name);

/// Whether launchers set such a variable themselves, most of them anew for every job.
bool set_by_launcher(std::string_view name);

/// Whether this is the value that a library gives the variable itself when it is initialised.
bool set_by_library(std::string_view name, std::string_view value);

}  // namespace fathom::plan
