#pragma once

#include <span>
#include <vector>

namespace fathom::stats {

/// P values of tests made together, corrected after Holm: where those below 5 % are believed, the chance that
/// any of them is wrong is at most 5 %, however the tests depend on each other.
std::vector<double> holm(std::span<const double> p_values);

}  // namespace fathom::stats
