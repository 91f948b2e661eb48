#include "analysis/insights.hpp"

#include "analysis/point_result.hpp"

namespace fathom::analysis {

std::vector<Insight> insights_of(const RunResult& /*result*/) {
    return {};
}

}  // namespace fathom::analysis
