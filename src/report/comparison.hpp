#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "analysis/across_runs/comparison.hpp"
#include "report/style.hpp"

namespace fathom::report {

/// The comparison of two runs as text: what differs, the table, how many points are slower.
std::string comparison_text(const analysis::Comparison& comparison, const Terminal& terminal);

/// The last line of it: `1 of 42 points is slower by more than 5 %, 41 the same.`
std::string comparison_summary(const analysis::Comparison& comparison);

/// The same as `fathom.compare/1`.
nlohmann::ordered_json comparison_json(const analysis::Comparison& comparison);

}  // namespace fathom::report
