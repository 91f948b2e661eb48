#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "analysis/run/scheme_comparison.hpp"
#include "report/style.hpp"

namespace fathom::report {

/// A table for each point: what every scheme reports and why it differs.
std::string schemes_text(const std::vector<analysis::SchemeComparison>& comparisons,
                         const Terminal& terminal);
nlohmann::ordered_json schemes_json(const std::vector<analysis::SchemeComparison>& comparisons);

}  // namespace fathom::report
