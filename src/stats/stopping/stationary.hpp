#pragma once

#include <span>

namespace fathom::stats {

/// Whether the second half of a series is drawn from the same distribution as the first, as far as a rank
/// test (Mann-Whitney, two-sided at 1 %) can tell. Needs 16 values; fewer are never stationary.
bool stationary(std::span<const double> series);

}  // namespace fathom::stats
