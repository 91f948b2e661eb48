#pragma once

#include "analysis/run/doctor.hpp"

namespace fathom::report {

/// A trouble of hosts as a warning: what is wrong where, and what to do about it.
store::WarningRow warning_of(const analysis::HostTrouble& trouble);

}  // namespace fathom::report
