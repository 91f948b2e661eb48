#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "analysis/run/run_result.hpp"
#include "report/style.hpp"

namespace fathom::report {

/// What was asked of the points of a run besides their times, point by point; nothing if nothing was.
std::string analyses_text(const analysis::RunResult& result, const Terminal& terminal);

/// The same as fields of a point: `distribution`, `tails`, `timeouts`, `processes`, `explanation`.
void put_analyses(nlohmann::ordered_json& json, const analysis::PointAnalyses& analyses);

/// What matters most in a run, the most first.
nlohmann::ordered_json insights_json(const std::vector<analysis::Insight>& insights);

}  // namespace fathom::report
