#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/curves/switches.hpp"
#include "analysis/point/point_result.hpp"
#include "plan/plan.hpp"

namespace fathom::analysis {

/// A search for the points of a curve that was not done: `--max-points` ended it, or some points took no
/// part.
struct CutSearch {
    PointKey key;            ///< of no size, or of no processes
    bool over_sizes = true;  ///< else over processes
    std::size_t points = 0;  ///< of the curve

    /// Where interpolation is worst, in bytes or processes.
    struct Gap {
        double error = 0;  ///< of the time; infinite where nothing bounds it
        std::int64_t from = 0;
        std::int64_t to = 0;
    };
    std::optional<Gap> coarse = {};  ///< where the goal of `--refine` was missed
    bool switches_open = false;      ///< switches may be missing or not exact
    bool at_limit = true;            ///< of points
    std::size_t too_few_reps = 0;    ///< points whose repetitions were too few to bound their median
};

/// Of a run with refined ranges or located switches; none of searches that were done.
std::vector<CutSearch> cut_searches(const std::vector<PointResult>& points, const plan::Plan& plan,
                                    const std::vector<SwitchSearch>& searches, bool simulated);

}  // namespace fathom::analysis
