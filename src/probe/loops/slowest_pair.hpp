#pragma once

#include <utility>

#include "probe/interfaces/clock.hpp"
#include "probe/interfaces/group.hpp"

namespace fathom::probe {

/// A short pre-test: the two ranks whose smallest round trip is the longest. Up to 64 ranks every pair is
/// tried, of more only those with rank 0. Collective, the same on all ranks.
std::pair<int, int> slowest_pair(Group& group, const Clock& clock);

}  // namespace fathom::probe
