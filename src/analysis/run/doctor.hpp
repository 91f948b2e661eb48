#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/facts.hpp"
#include "store/rows.hpp"

namespace fathom::analysis {

/// A process, with what matters for a diagnosis.
struct Placement {
    int rank = 0;
    std::string binding;
};

/// One host and what is to run on it.
struct HostState {
    std::string host;
    machine::Facts facts;
    std::vector<Placement> ranks;  ///< empty: nothing is known of processes
    std::string build_type;        ///< of the program that measures
};

/// What on these hosts disturbs measurements, each with a remedy, the serious ones first. The same trouble on
/// many hosts is one finding.
std::vector<store::WarningRow> diagnose(const std::vector<HostState>& hosts);

}  // namespace fathom::analysis
