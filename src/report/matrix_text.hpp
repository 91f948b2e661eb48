#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "analysis/run/run_result.hpp"
#include "report/style.hpp"

namespace fathom::report {

/// The matrices of a run and what stands out in them; nothing if it has none. Every pair is shown for up to
/// 16 ranks, every pair of hosts for up to 16 hosts, else a summary.
std::string matrix_text(const analysis::RunResult& result, const Terminal& terminal);

/// Times and rates of all pairs, in the order of ranks both ways; null for a pair that was not measured.
nlohmann::ordered_json matrix_json(const analysis::MatrixResult& matrix);

nlohmann::ordered_json slow_component_json(const analysis::SlowComponent& finding);

}  // namespace fathom::report
