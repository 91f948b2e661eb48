#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "analysis/run/run_result.hpp"
#include "report/style.hpp"

namespace fathom::report {

/// A table of the switches that were located, with exact sizes; empty if there are none.
std::string switches_text(const std::vector<analysis::FoundSwitch>& switches, const Terminal& terminal);

/// What a search that --max-points ended leaves open, in a sentence without its full stop.
std::string cut_search_sentence(const analysis::CutSearch& search, const plan::Plan& plan);

nlohmann::ordered_json cut_searches_json(const std::vector<analysis::CutSearch>& searches);

/// Whether a switch was found in the curve of a point.
bool is_in_curve_of(const analysis::FoundSwitch& at, plan::PointKey point);

}  // namespace fathom::report
