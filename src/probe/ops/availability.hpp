#pragma once

#include <string>

#include "plan/operations.hpp"

namespace fathom::probe {

/// Why the MPI library of this build cannot have an operation; empty if it can. Calls nothing of MPI, so that
/// the build can tell the front end.
std::string why_unavailable(const plan::OperationInfo& info);

}  // namespace fathom::probe
