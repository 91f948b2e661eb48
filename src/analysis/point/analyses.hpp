#pragma once

#include "analysis/point/distribution.hpp"
#include "analysis/point/explanation.hpp"
#include "analysis/point/tails.hpp"
#include "analysis/point/timeouts.hpp"

namespace fathom::analysis {

/// What the samples of a point tell, as far as others build on it: insights, notes. Without samples it is
/// empty.
struct PointAnalyses {
    Distribution distribution;
    Tails tails;
    Timeouts timeouts;
    Explanation explanation;
};

/// `each`: each rank counts for itself, and the times of all together are looked at.
PointAnalyses analyse(const Repetitions& repetitions, const Evidence& evidence, bool over_tcp, bool each);

}  // namespace fathom::analysis
