#pragma once

#include <cstdint>

#include "probe/loops/group.hpp"

namespace fathom::probe {

/// Hands a number of rank 0 to all: our own broadcast over point-to-point, ceil(log2 P) steps. Throws
/// NotMeasured if it does not come within `patience`.
std::int64_t broadcast_word(Group& group, std::int64_t word, Nanoseconds patience);

}  // namespace fathom::probe
