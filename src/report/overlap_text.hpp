#pragma once

#include <string>

#include "analysis/run/run_result.hpp"
#include "report/style.hpp"

namespace fathom::report {

/// The overlap studies of a run: a table for each operation, findings on progress and protocols, and
/// LogGP parameters; of a run with one point all that is known of it. Nothing if there is no study.
std::string overlap_text(const analysis::RunResult& result, const Terminal& terminal);

}  // namespace fathom::report
