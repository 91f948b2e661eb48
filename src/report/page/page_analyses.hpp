#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analysis/point/analyses.hpp"

namespace fathom::report {

/// What analyses say of a point as the page shows it: `distribution` (words, modes and fits; the times
/// themselves are in `spread`), `tails`, `timeouts`, `processes` (groups and who is last) and `explanation`.
void put_page_analyses(nlohmann::ordered_json& json, const analysis::PointAnalyses& analyses);

}  // namespace fathom::report
