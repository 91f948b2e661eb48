#pragma once

#include <string>

#include "analysis/run/run_result.hpp"

namespace fathom::report {

/// Time against size as a small picture for each operation and process count, both axes logarithmic. Nothing
/// where a curve has few sizes, and nothing of more curves than a screen or two can show.
std::string curves_text(const analysis::RunResult& result);

}  // namespace fathom::report
