#pragma once

#include <string>

#include "analysis/run/run_result.hpp"

namespace fathom::report {

/// What an event takes in the result file; 0 where there are none.
double bytes_per_event(const store::TraceRow& trace);

/// How much was recorded inside calls, and how much of it was dropped; empty if nothing was traced.
std::string trace_text(const analysis::RunResult& result);

}  // namespace fathom::report
