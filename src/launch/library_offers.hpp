#pragma once

#include "launch/flavours.hpp"
#include "launch/platform.hpp"
#include "plan/library_algorithms.hpp"
#include "plan/plan.hpp"

namespace fathom::launch {

/// Asks the MPI library of a flavour which algorithms its collectives have, by a job of two processes. Throws
/// NotMeasured if that cannot be started or says nothing.
plan::OfferedLibrary offered_library(const Installation& here, plan::Flavour flavour);

/// Throws BadInput if a plan names algorithms that the library does not have. A library that cannot be asked
/// is not: its job will say why.
void check_library_algorithms(const plan::Plan& plan, const Installation& here);

}  // namespace fathom::launch
