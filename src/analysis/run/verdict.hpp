#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "analysis/matrix/slow_components.hpp"
#include "analysis/run/insights.hpp"
#include "plan/point_key.hpp"

namespace fathom::analysis {

struct RunResult;

/// A point that could not be measured.
struct FailedPoint {
    plan::PointKey key;
    std::string reason;
};

/// No point at all was measured.
struct NothingMeasured {};

/// Clocks that were wrong by more than their error bounds.
struct ClocksExceeded {
    std::int64_t after_ns = 0;  ///< their synchronisation
};

using VerdictReason = std::variant<SlowComponent, FailedPoint, NothingMeasured, ClocksExceeded, MatrixLimit>;
using VerdictRemark = std::variant<MatrixLimit, DisturbedPoints>;

/// What a run says about the machine as a whole, if a verdict was requested.
struct Verdict {
    bool accepted = true;
    bool decided = true;                 ///< false: nothing speaks against it but that a matrix was disturbed
    std::vector<VerdictReason> reasons;  ///< against it
    std::vector<VerdictRemark> remarks;  ///< what makes it less certain
};

Verdict judge(const RunResult& result);

}  // namespace fathom::analysis
