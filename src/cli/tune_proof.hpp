#pragma once

#include <string>
#include <vector>

#include "cli/search_runs.hpp"
#include "tune/files/proof_request.hpp"
#include "tune/search/tuning.hpp"

namespace fathom::cli {

/// Measures with a library's files and without, in alternating launches. `number` tells this proof from
/// others of the same search; `budget_s` is for all of it. What could not be measured is left out; how it
/// ended, `runs` tells.
std::vector<tune::ProofPoint> prove(SearchRuns& runs, const tune::ProofRequest& request,
                                    const std::string& number, double budget_s);

}  // namespace fathom::cli
