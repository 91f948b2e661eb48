#pragma once

#include <string>
#include <vector>

#include "analysis/samples/evidence.hpp"
#include "plan/point_key.hpp"
#include "store/store.hpp"
#include "tree/analysis/traced_calls.hpp"
#include "tree/tree.hpp"

namespace fathom::tree {

/// A point whose calls left events, with its launches.
struct TracedPoint {
    int position = 0;  ///< of the first launch
    plan::PointKey key;
    std::vector<store::PointRow> launches = {};
};

/// Those of a run, in its order.
std::vector<TracedPoint> traced_points(const store::Store& store, const store::RunRow& run);

/// Everything stored of a traced point.
struct StoredTrace {
    NodeIndex index;
    TracedCalls calls = {};  ///< of all launches, on the global clock of each
    analysis::Evidence evidence = {};
};

/// The tree that a point was performed by is part of its run's plan. Throws BadInput where the plan has no
/// such tree, and where the clocks of ranks were never compared.
StoredTrace read_trace(const store::Store& store, const store::RunRow& run, const TracedPoint& point);

}  // namespace fathom::tree
