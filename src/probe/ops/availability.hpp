#pragma once

#include <string>

#include "plan/operations.hpp"

namespace fathom::probe {

/// Why the MPI library of this build does not support an operation; empty if it does. Makes no MPI calls, so
/// that the build can run it for the front end.
std::string why_unavailable(const plan::OperationInfo& info);

/// Version of the MPI standard that the library of this build supports: `3.1`.
std::string standard_of_library();

}  // namespace fathom::probe
