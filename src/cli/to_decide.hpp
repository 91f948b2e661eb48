#pragma once

#include <string>
#include <string_view>

#include "cli/gate.hpp"
#include "cli/run_reference.hpp"

namespace fathom::cli {

/// The command that measures two stored runs in turn until their points are decided: each as it was, with the
/// options of the second in which it differs from the first, and its variables where this environment has
/// others; all operations or one. New runs go to the file `db`. Empty if no options make the second of the
/// first.
std::string command_to_decide(const RunReference& first, const RunReference& second,
                              std::string_view operation, const GateOptions& gate, const std::string& db);

}  // namespace fathom::cli
