#pragma once

#include <span>
#include <vector>

namespace fathom::stats {

/// What a p value must stay below for an effect to be believed.
inline constexpr double significance_level = 0.05;

/// P values of tests made together, corrected after Holm: where those below 5 % are believed, the chance that
/// any of them is wrong is at most 5 %, however the tests depend on each other.
std::vector<double> holm(std::span<const double> p_values);

}  // namespace fathom::stats
