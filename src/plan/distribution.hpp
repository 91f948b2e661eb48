#pragma once

#include <cstdint>
#include <vector>

#include "plan/choices.hpp"

namespace fathom::plan {

/// Shares out a total over processes, in whole numbers that add up to it:
///   equal      the same for all, the first ones one more where it does not divide
///   linear     in proportion to the rank + 1
///   one-heavy  half of it (rounded up) to the last, equal shares of the rest to the others
///   random     in proportion to random numbers of the seed, the same on every machine
std::vector<std::int64_t> shares(Distribution distribution, std::int64_t total, int procs,
                                 std::uint64_t seed);

}  // namespace fathom::plan
