#pragma once

#include <vector>

#include "analysis/overlap/overlap.hpp"

namespace fathom::analysis {

/// The same study in several starts of the job as one: every figure is the median of the starts' figures, its
/// interval Student's over the starts together with what each of them is unsure of. The curve is that of the
/// first one; a figure that some start lacks, too. Not fewer than one start.
OverlapResult together(const std::vector<OverlapResult>& starts);

}  // namespace fathom::analysis
