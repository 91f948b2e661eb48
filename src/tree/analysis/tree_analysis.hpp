#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/samples/evidence.hpp"
#include "tree/analysis/advice.hpp"
#include "tree/analysis/critical_path.hpp"
#include "tree/analysis/load_balance.hpp"
#include "tree/analysis/outliers.hpp"
#include "tree/analysis/parts.hpp"
#include "tree/analysis/paths.hpp"

namespace fathom::tree {

/// The path of one leaf over all complete calls.
struct PathResult {
    int leaf = 0;
    StageSummary in_call;        ///< from entering the call to leaving it
    StageSummary without_waits;  ///< without arrival waits
};

/// Everything that the events of a tree's calls say. docs/trees.md has the definitions.
struct TreeAnalysis {
    NodeIndex index;
    bool down = true;  ///< which ways the operation has
    bool up = true;
    std::size_t calls = 0;     ///< traced
    std::size_t complete = 0;  ///< with all their events; what concerns whole calls rests on these
    std::int64_t dropped = 0;  ///< events
    std::int64_t strays = 0;
    std::vector<EdgeResult> edges = {};
    std::vector<JoinResult> joins = {};
    std::vector<SubtreeResult> subtrees = {};
    std::optional<StageSummary> store = {};
    std::optional<StageSummary> tree = {};  ///< from the last entry to the last departure
    std::vector<PathResult> paths = {};
    CriticalPaths critical = {};
    std::optional<LoadBalance> balance = {};
    std::vector<PathCluster> clusters = {};
    std::vector<Breakdown> breakdowns = {};  ///< of each cluster's representative, without arrival waits
    std::vector<StageOutliers> outliers = {};
    std::vector<PeriodicDisturbance> periodic = {};
    std::vector<TimemapLine> timemap = {};  ///< with arrival waits
    std::vector<TimemapLine> timemap_without_waits = {};
    std::vector<Advice> advice = {};  ///< the most important first
};

/// All of it. `evidence` is what the kernel counted meanwhile, if anything did.
TreeAnalysis analyse(const StageTimes& times, const analysis::Evidence* evidence = nullptr);

}  // namespace fathom::tree
