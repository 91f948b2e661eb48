#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analysis/run/run_result.hpp"

namespace fathom::report {

/// A study of overlap as the `overlap` of its point; what is not known is null, and `reason` says why.
nlohmann::ordered_json overlap_json(const analysis::OverlapResult& overlap);

/// Findings over all studies of a run, as its `loggp` and `overlap_findings`; nothing if it has none.
void put_overlap_of_run(nlohmann::ordered_json& json, const analysis::RunResult& result);

}  // namespace fathom::report
