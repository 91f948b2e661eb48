#pragma once

#include <string>
#include <vector>

#include "analysis/run/run_result.hpp"
#include "cli/search_runs.hpp"
#include "tune/files/proof_request.hpp"
#include "tune/search/tuning.hpp"

namespace fathom::cli {

/// Points of a run that were measured with one setting and with another (PointKey::setting), by operation in
/// the order of sizes.
std::vector<tune::ProofPoint> compare_settings(const analysis::RunResult& result, const std::string& without,
                                               const std::string& with);

/// Measures with a library's files and without, in alternating launches. `number` tells this proof from
/// others of the same search; `budget_s` is for all of it. A rule with which a launch failed is named; how
/// the proof ended, `runs` tells.
tune::Proof prove(SearchRuns& runs, const tune::ProofRequest& request, const std::string& number,
                  double budget_s);

}  // namespace fathom::cli
