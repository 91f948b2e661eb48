#pragma once

#include <vector>

#include "analysis/overlap/overlap.hpp"

namespace fathom::analysis {

/// Merges the same study over several launches: every figure is the median of the launches' figures, its
/// interval Student's over the launches plus the uncertainty of each. The curve is that of the
/// first launch, as is a figure that some launch lacks. There must be at least one launch.
OverlapResult together(const std::vector<OverlapResult>& launches);

}  // namespace fathom::analysis
