#pragma once

#include <string>

#include "journal/json.hpp"
#include "report/style.hpp"
#include "tree/improve/optimizer.hpp"

namespace fathom::report {

/// What was found for each size, how much faster it is than what else there is, and what was tried for it.
/// Unless `all`, trials that were not accepted are counted only.
std::string tree_optimization_text(const tree::Optimization& found, const Terminal& terminal, bool all);

/// The same as `fathom.tree-optimization/1`, with every trial.
nlohmann::ordered_json tree_optimization_json(const tree::Optimization& found);

}  // namespace fathom::report
