#pragma once

#include <string>

#include "analysis/run/between_runs.hpp"

namespace fathom::report {

/// By how much runs differ, and how that is known: `0.7 % variation between runs, learned from 6 stored
/// runs`. Empty if they do not.
std::string sentence_on(const analysis::BetweenRuns& between_runs);

}  // namespace fathom::report
