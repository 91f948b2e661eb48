#pragma once

#include <vector>

#include "analysis/point/point_result.hpp"

namespace fathom::analysis {

/// The results of one point in several starts of the job as one. The value is the median of the starts'
/// values, since a start may be off as a whole; its interval is Student's over the starts, which holds both
/// variances. Not fewer than one start.
PointResult together(const std::vector<PointResult>& starts);

}  // namespace fathom::analysis
