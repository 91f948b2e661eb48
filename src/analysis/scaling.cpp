#include "analysis/scaling.hpp"

#include "analysis/point_result.hpp"

namespace fathom::analysis {

Scaling scaling_of(const std::vector<PointResult>& /*points*/, bool /*simulated*/) {
    return {};
}

}  // namespace fathom::analysis
