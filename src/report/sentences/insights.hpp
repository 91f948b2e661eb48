#pragma once

#include <string>

#include "analysis/run/insights.hpp"

namespace fathom::report {

/// An insight with its number, without its full stop.
std::string sentence(const analysis::Insight& insight);

/// What to do about it; empty where that is not known.
std::string fix_of(const analysis::Insight& insight);

}  // namespace fathom::report
