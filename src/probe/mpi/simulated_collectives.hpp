#pragma once

#include <string>
#include <vector>

/// SimGrid's collectives. It has no interface to choose among them within a job, only functions that its
/// library exports; where a version does not have them, there is nothing to choose.
namespace fathom::probe::mpi {

/// The names of a collective's algorithms; empty if it has none to choose from.
std::vector<std::string> simulated_algorithms(const std::string& collective);

/// For all ranks and communicators, from now on. The name is one of the above, or `default`.
void choose_simulated(const std::string& collective, const std::string& algorithm);

}  // namespace fathom::probe::mpi
