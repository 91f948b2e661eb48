#pragma once

#include <string>
#include <vector>

#include "analysis/run/run_result.hpp"
#include "cli/run_reference.hpp"
#include "tune/measured/parameters.hpp"

namespace fathom::cli {

/// Runs that parameters of a model come from, evaluated.
struct SourceRuns {
    std::vector<RunReference> references;
    std::vector<analysis::RunResult> results;
    std::vector<tune::SourceRun> sources;  ///< of the results
};

/// Those that `--from` names; none if it names none.
SourceRuns source_runs(const std::vector<std::string>& from, const std::string& db, bool quiet);

/// The network of what was found. Throws BadInput that says what to measure if it lacks what processes on so
/// many hosts need; `given` says how else to give it.
tune::Network network_from(const tune::MeasuredParameters& found, int hosts, const std::string& given);

}  // namespace fathom::cli
