#pragma once

#include "tune/model/cost_curve.hpp"
#include "tune/model/layout.hpp"
#include "tune/model/network.hpp"
#include "tune/model/schedule.hpp"

namespace fathom::tune {

/// How long a schedule takes against the operation's size. A round takes as long as its slowest message, and
/// as long as the busiest interface needs for what its host's ranks send or receive. Takes a moment for a
/// million ranks: rounds that cost the same are counted, not followed.
CostCurve cost_of(const Schedule& schedule, const Network& network, const Layout& layout);

}  // namespace fathom::tune
