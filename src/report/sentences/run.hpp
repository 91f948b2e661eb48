#pragma once

#include <vector>

#include "analysis/run/run_result.hpp"

namespace fathom::report {

/// The warnings of a run: those stored with it, and that its plan could not be read.
std::vector<store::WarningRow> warnings_of(const analysis::RunResult& result);

}  // namespace fathom::report
