#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/choices.hpp"

namespace fathom::plan {

/// Environment variables that request a progress thread from a flavour's library.
/// `mpi` may be any library: those of all. None in simulation.
std::vector<std::pair<std::string, std::string>> progress_variables(Flavour flavour);

/// A remark for the user about the thread, as the end of a sentence; empty: none.
std::string_view progress_thread_remark(Flavour flavour);

}  // namespace fathom::plan
