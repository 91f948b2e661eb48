#pragma once

#include <cstdint>
#include <string>

#include "analysis/run/doctor.hpp"

namespace fathom::report {

/// A trouble of hosts as a warning: what is wrong where, and what to do about it.
store::WarningRow warning_of(const analysis::HostTrouble& trouble);

/// `6 shared-memory segments and 1 session folder`
std::string leftovers_text(std::int64_t segments, std::int64_t session_folders);

}  // namespace fathom::report
