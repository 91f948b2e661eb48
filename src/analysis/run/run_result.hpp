#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/curves/cut_searches.hpp"
#include "analysis/curves/loggp.hpp"
#include "analysis/curves/protocol_boundaries.hpp"
#include "analysis/curves/scaling.hpp"
#include "analysis/curves/switches.hpp"
#include "analysis/matrix/matrix.hpp"
#include "analysis/matrix/slow_components.hpp"
#include "analysis/point/point_result.hpp"
#include "analysis/run/between_runs.hpp"
#include "analysis/run/clock_study.hpp"
#include "analysis/run/insights.hpp"
#include "analysis/run/setting_comparison.hpp"
#include "analysis/run/verdict.hpp"
#include "plan/plan.hpp"

namespace fathom::analysis {

/// A run with all its points; no point is ever missing.
struct RunResult {
    store::RunRow run;
    plan::Plan plan;  ///< as it was measured; the usual one if this fathom cannot read it
    std::optional<std::string> plan_error;  ///< why it cannot
    std::vector<PointResult> points;
    std::vector<store::WarningRow> warnings;  ///< as stored
    std::optional<ClockSummary> clock;        ///< absent in simulation, with one process and in old runs
    std::vector<CheckMoment> clock_check;     ///< empty if none was asked for
    std::vector<SettingComparison> settings;  ///< where they were varied
    BetweenRuns between_runs;                 ///< a part of every interval over launches
    bool schemes_compared = false;
    bool switches_sought = false;
    std::vector<FoundSwitch> switches;
    std::size_t switches_left_out = 0;         ///< beside points that cannot be relied on
    std::vector<CutSearch> cut_searches;       ///< that were not done
    std::vector<MatrixResult> matrices;        ///< by processes and size
    SlowComponents slow_components;            ///< in the matrices
    std::vector<ProtocolBoundary> boundaries;  ///< in studies of overlap
    std::vector<LogGp> loggp;                  ///< where messages were studied
    std::optional<Verdict> verdict;            ///< where one was asked for
    Scaling scaling;                           ///< against size and processes
    std::vector<Insight> insights;             ///< what matters most, the most first
};

/// What a reader of a whole run may want besides its results.
struct Wanted {
    bool analyses = false;  ///< of every point
    /// Which points, by their keys. If it is empty, all. What is said of a run as a whole (verdict, LogGP) is
    /// not said of a selection.
    std::function<bool(const PointKey& key)> select = {};
    /// Whether intervals include what differs between runs, which is learned from other runs of the store.
    bool other_runs = true;
    /// Called with the samples of each point. May be empty.
    std::function<void(const PointSamples& samples)> visit = {};

    [[nodiscard]] bool samples() const { return analyses || visit; }
};

/// All points of a run, those of several starts as one each. Where the view says nothing, the plan does.
RunResult evaluate(const store::Store& store, const store::RunRow& run, const View& view = {},
                   const Wanted& wanted = {});

}  // namespace fathom::analysis
