#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analysis/point/distribution.hpp"

namespace fathom::analysis {

/// Where the body of sorted times ends: beyond lie those that no single distribution of the others would
/// have. By Tukey's outer fence, three times the distance of the quartiles above the upper one, of the
/// logarithm of what lies above the minimum; so a long tail belongs to the body, and a time far away does
/// not.
double body_end(std::span<const double> sorted);

/// Families fitted to sorted times, the best first by Schwarz's criterion (BIC); none where most are equal.
/// Likelihood and price of a parameter are those of the effective sample size.
std::vector<Fit> fits_of(std::span<const double> body, double sample_size);

}  // namespace fathom::analysis
