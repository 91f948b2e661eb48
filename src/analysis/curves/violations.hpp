#pragma once

#include <vector>

#include "analysis/curves/scaling.hpp"

namespace fathom::analysis {

/// Checks every point against the guidelines whose parts were all measured: at exactly the sizes, with the
/// same processes, datatype, scheme and progress. Fills in `violations` and `guidelines_checked`.
void put_violations(Scaling& scaling, const std::vector<PointResult>& points, bool simulated);

}  // namespace fathom::analysis
