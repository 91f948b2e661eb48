#pragma once

#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "tree/analysis/stored_calls.hpp"

namespace fathom::cli {

// Sub-commands of `fathom tree` on what calls over trees left in a result file.
void add_tree_analyze(const Command& tree, Invocation& invocation);
void add_tree_compare(const Command& tree, Invocation& invocation);
void add_tree_export(const Command& tree, Invocation& invocation);
void add_tree_optimize(const Command& tree, Invocation& invocation);

/// The traced points of a run that an option selects by number; all without one. Throws BadInput that lists
/// them if there is none.
std::vector<tree::TracedPoint> selected_traces(const store::Store& store, const store::RunRow& run,
                                               int point);

/// The same where only one can be used: throws BadInput that lists them if there are several.
tree::TracedPoint one_trace(const store::Store& store, const store::RunRow& run, int point);

/// What `point` is if the option was not given.
inline constexpr int any_point = -1;

}  // namespace fathom::cli
