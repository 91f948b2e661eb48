#pragma once

#include <string>
#include <vector>

#include "analysis/across_runs/measured_run.hpp"

namespace fathom::analysis {

/// Something in which two runs differ.
struct Difference {
    std::string what;  ///< `MPI library`, `hosts`, `over_ranks`
    std::string first;
    std::string second;
    bool setting = false;  ///< of the plan, and it changes what is measured
};

/// In which way they do: the MPI library and its version, hosts, where ranks were, kind of machine, clock
/// source, version of fathom, and those settings of their plans that change what is measured.
std::vector<Difference> differences(const MeasuredRun& first, const MeasuredRun& second);

/// `MPI library: Open MPI 4.1.4 and MPICH 4.0.2`
std::string text_of(const Difference& difference);

}  // namespace fathom::analysis
