#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/units.hpp"
#include "tune/model/cost_curve.hpp"

namespace fathom::tune {

/// A range of sizes and the curve that is lowest in it.
struct BestRange {
    std::size_t curve = 0;
    Bytes first;
    Bytes last;
};

/// The lowest of several curves at every size from `first` to `last`, to the byte. Of equal ones, the one
/// that was lowest before, else the first of them.
std::vector<BestRange> lower_envelope(std::span<const CostCurve> curves, Bytes first, Bytes last);

}  // namespace fathom::tune
