#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/choices.hpp"

namespace fathom::plan {

/// Variables of the environment that ask a flavour's library for a thread which makes communication go on.
/// `mpi` may be any library: those of all. None in simulation.
std::vector<std::pair<std::string, std::string>> progress_variables(Flavour flavour);

/// What a user should know of the thread before it is used, as the end of a sentence; empty: nothing.
std::string_view progress_thread_remark(Flavour flavour);

}  // namespace fathom::plan
