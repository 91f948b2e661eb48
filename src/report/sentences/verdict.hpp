#pragma once

#include <string>
#include <vector>

#include "analysis/run/verdict.hpp"

namespace fathom::report {

/// What speaks against a machine, each without its full stop.
std::vector<std::string> verdict_reasons(const analysis::Verdict& verdict);

/// What makes a verdict less certain, each without its full stop.
std::vector<std::string> verdict_remarks(const analysis::Verdict& verdict);

}  // namespace fathom::report
