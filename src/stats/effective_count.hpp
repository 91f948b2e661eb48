#pragma once

#include <span>

namespace fathom::stats {

/// How many independent values a series is worth, and how well that is known.
struct EffectiveCount {
    double count = 0;
    double freedom = 0;  ///< degrees of freedom of a standard error that rests on it
};

/// For the median. Judged in two ways, of which the smaller count is taken: by independent_count, and from 50
/// values on by how much the shares above the median differ between 25 stretches of the series, which also
/// sees slow changes of level.
EffectiveCount effective_count(std::span<const double> in_order, double median);

}  // namespace fathom::stats
