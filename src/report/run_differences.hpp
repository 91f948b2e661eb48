#pragma once

#include <string>

#include "analysis/across_runs/run_differences.hpp"

namespace fathom::report {

/// What two runs differ in, as JSON and sentences name it: `MPI library`, `hosts`, the key of a setting.
std::string difference_name(const analysis::Difference& difference);

/// Its value in one of them; where hosts differ, the first few of those that the other does not have.
std::string first_value(const analysis::Difference& difference);
std::string second_value(const analysis::Difference& difference);

/// `MPI library: Open MPI 4.1.4 and MPICH 4.0.2`
std::string difference_text(const analysis::Difference& difference);

}  // namespace fathom::report
