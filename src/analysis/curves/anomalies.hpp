#pragma once

#include <vector>

#include "analysis/curves/curves.hpp"
#include "analysis/curves/scaling.hpp"

namespace fathom::analysis {

/// Humps and jumps in curves of time against size, and more processes that are faster. Fills in `anomalies`
/// and `curves_looked_at`.
void put_anomalies(Scaling& scaling, const std::vector<SizeCurve>& curves, bool simulated);

}  // namespace fathom::analysis
