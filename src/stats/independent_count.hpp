#pragma once

#include <span>

namespace fathom::stats {

/// How many independent values a series is worth when it is asked how many of them lie below `threshold` (its
/// median, or another quantile). Neighbours that resemble each other count as fewer: n / (1 + 2 sum r_k), r_k
/// being the correlation of "above the threshold" over k places, summed as far as it can be told from chance
/// (Geyer's initial monotone sequence), or as far as a chain of that likeness of neighbours would go, if that
/// is more; and less for what the sum itself is unsure of. Values that differ from their neighbours on
/// purpose count as no more than their number. Judged from 14 values on.
double independent_count(std::span<const double> in_order, double threshold);

}  // namespace fathom::stats
