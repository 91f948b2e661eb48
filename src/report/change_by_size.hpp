#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "analysis/across_runs/comparison.hpp"

namespace fathom::report {

/// A comparison in a sentence, and a line with its largest changes.
std::string change_by_size_text(const analysis::Comparison& comparison);

/// The same as fields of `fathom.compare/1`: `text, groups[], slowest, fastest`.
nlohmann::ordered_json change_by_size_json(const analysis::Comparison& comparison);

}  // namespace fathom::report
