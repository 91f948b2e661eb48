#pragma once

#include <string>

#include "analysis/curves/loggp.hpp"
#include "analysis/curves/protocol_boundaries.hpp"
#include "analysis/curves/scaling.hpp"
#include "analysis/curves/switches.hpp"

namespace fathom::report {

/// What was found in a curve over sizes or process counts, without its full stop.
std::string sentence(const analysis::SizeScaling& scaling);
std::string sentence(const analysis::Anomaly& anomaly);
std::string sentence(const analysis::Violation& violation);
std::string sentence(const analysis::ProtocolBoundary& boundary);
/// `bcast, 8 processes: switch at 12288 B, 1.8 times slower above (20.1 us and 36.2 us)`.
std::string sentence(const analysis::FoundSwitch& at);

/// Why LogGP has no ranges: what was not measured, or not by points that can be relied on. Empty if nothing
/// is missing.
std::string reason_of(const analysis::LogGp& parameters);
/// Why a range lacks parameters; empty if it has all.
std::string reason_of(const analysis::LogGpRange& range);

}  // namespace fathom::report
