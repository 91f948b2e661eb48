#pragma once

#include <string_view>

namespace fathom::plan {

/// Whether an environment variable steers an MPI library or its transports.
bool steers_mpi(std::string_view name);

/// Whether launchers set such a variable themselves, most of them anew for every job.
bool set_by_launcher(std::string_view name);

}  // namespace fathom::plan
