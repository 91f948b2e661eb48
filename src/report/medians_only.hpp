#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/across_runs/measured_run.hpp"

namespace fathom::report {

/// That medians are `compared` or `merged`, where runs show something else of their points (--over-reps,
/// schemes of other benchmarks): one line, or nothing if they show medians.
std::string medians_only(std::string_view done, const std::vector<const analysis::MeasuredRun*>& runs);

}  // namespace fathom::report
