#pragma once

#include <vector>

#include "analysis/samples/measures.hpp"
#include "store/store.hpp"

namespace fathom::analysis {

/// How long messages both ways at once take against one way at a time, from the times of the slowest rank.
/// Nothing if either was not measured.
std::vector<Measure> duplex_measures(const store::Store& store, const store::PointRow& point);

/// The same from times: of one way, and of both at once, in their order.
std::vector<Measure> duplex_measures(const std::vector<double>& one_way, const std::vector<double>& at_once);

}  // namespace fathom::analysis
