#pragma once

#include <string>

#include "analysis/samples/measures.hpp"

namespace fathom::report {

/// A result besides the time, without its full stop: `the master was busy 83 % of the time`.
std::string sentence(const analysis::Measure& measure);

}  // namespace fathom::report
