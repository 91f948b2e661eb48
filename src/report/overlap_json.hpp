#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analysis/run/run_result.hpp"

namespace fathom::report {

/// The study of overlap of a point that has one, as its `overlap`; what is not known is null, and `reason`
/// says why.
nlohmann::ordered_json overlap_json(const analysis::PointResult& point);

/// Findings over all studies of a run, as its `loggp` and `overlap_findings`; nothing if it has none.
void put_overlap_of_run(nlohmann::ordered_json& json, const analysis::RunResult& result);

}  // namespace fathom::report
