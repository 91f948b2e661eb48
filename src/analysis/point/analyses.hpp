#pragma once

#include <map>
#include <optional>

#include "analysis/point/distribution.hpp"
#include "analysis/point/explanation.hpp"
#include "analysis/point/processes.hpp"
#include "analysis/point/tails.hpp"
#include "analysis/point/timeouts.hpp"

namespace fathom::analysis {

/// Which analyses of single points are wanted.
struct Asked {
    bool distribution = false;
    bool tails = false;
    bool timeouts = false;
    bool processes = false;
    bool explanation = false;

    [[nodiscard]] bool any() const { return distribution || tails || timeouts || processes || explanation; }
    static Asked all() { return {true, true, true, true, true}; }
};

/// What they say of one point; empty: not asked for, or no samples.
struct PointAnalyses {
    std::optional<Distribution> distribution;
    std::map<int, Distribution> distribution_by_rank;  ///< where each rank counts for itself
    std::optional<Tails> tails;
    std::optional<Timeouts> timeouts;
    std::optional<Processes> processes;
    std::optional<Explanation> explanation;

    /// Forgets what was not asked for.
    void keep_only(const Asked& asked);
};

/// `each`: each rank counts for itself, and the times of all together are looked at.
PointAnalyses analyse(const Repetitions& repetitions, const Evidence& evidence, bool over_tcp, bool each,
                      const Asked& asked);

}  // namespace fathom::analysis
