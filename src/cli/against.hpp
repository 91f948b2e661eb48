#pragma once

#include <functional>
#include <string>

#include "cli/gate.hpp"
#include "cli/measure.hpp"

namespace fathom::cli {

/// Measures a stored run again, in turn with a new one that has its plan as changed by `change`, until every
/// point is decided; prints the comparison. Where the baseline cannot be had again, the new run is compared
/// with what is stored.
ExitStatus run_against(const std::string& baseline, const std::function<void(plan::Plan&)>& change,
                       const GateOptions& gate, const MeasureOptions& options);

}  // namespace fathom::cli
