#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/curves/protocol_boundaries.hpp"
#include "analysis/curves/scaling.hpp"
#include "analysis/curves/switches.hpp"
#include "analysis/matrix/slow_components.hpp"
#include "analysis/point/distribution.hpp"
#include "analysis/point/explanation.hpp"
#include "analysis/point/timeouts.hpp"
#include "analysis/run/setting_comparison.hpp"
#include "plan/point_key.hpp"

namespace fathom::analysis {

struct RunResult;

/// Which analysis says so, and which chart shows it.
enum class InsightKind {
    failed,
    disturbed,
    timeouts,
    explanation,
    tails,
    distribution,
    protocol_switch,
    hump,
    procs,
    jump,
    guideline,
    matrix,
    overlap,
    setting
};
constexpr std::array<std::string_view, 14> enum_names(InsightKind /*unused*/) {
    return {"failed", "disturbed", "timeouts", "explanation", "tails",  "distribution", "switch",
            "hump",   "procs",     "jump",     "guideline",   "matrix", "overlap",      "setting"};
}

/// Points that failed, with the reason of the first.
struct FailedPoints {
    std::size_t failed = 0;
    std::size_t of = 0;
    std::string reason;
};

/// Points during which ranks were preempted.
struct DisturbedPoints {
    std::size_t disturbed = 0;
    std::size_t of = 0;
};

/// The cause that took most time, and the slow repetitions it is one of.
struct SlowRepetitions {
    Cause cause;
    std::int64_t slow = 0;
    double threshold_ns = 0;
};

/// A 99th percentile far beyond the median.
struct LongTail {
    double p99_ns = 0;
    double median_ns = 0;
};

/// The fastest mode and the largest of the others, with its cause where one was counted.
struct TwoModes {
    Mode fast;
    Mode slow;
    std::optional<SlowRepetitions> cause = {};
};

/// What an insight rests on: a result of one analysis.
using InsightFacts =
    std::variant<FailedPoints, DisturbedPoints, Timeouts, SlowRepetitions, LongTail, TwoModes, FoundSwitch,
                 Anomaly, Violation, SlowComponent, ProtocolBoundary, SettingComparison>;

/// One thing that matters. report/sentences/insights.hpp says it in a sentence.
struct Insight {
    plan::PointKey key;    ///< of the point or curve it speaks of; empty if it speaks of the run
    bool sized = false;    ///< false: it speaks of the whole curve, or of the run
    bool warned = false;   ///< its point has warnings, so that it may be one of these that shows
    double weight = 0;     ///< by how much it matters: about the factor that could be gained
    std::size_t more = 0;  ///< others like this that weigh less
    InsightFacts facts;

    [[nodiscard]] InsightKind kind() const;
};

/// What matters most in a run, the most first; that of points with warnings follows after all others.
std::vector<Insight> insights_of(const RunResult& result);

}  // namespace fathom::analysis
