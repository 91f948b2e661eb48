#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tree/analysis/paths.hpp"
#include "tree/analysis/stage.hpp"

namespace fathom::tree {

/// The chain of stages that decided when a call ended: from the entry of the leaf whose contribution was
/// waited for to the root, and from there to the leaf that left last. Nothing on it waits for other
/// contributors, so that its stages add up to the time from that entry to that departure.
struct CriticalPath {
    int first = 0;                   ///< leaf that it begins at
    int last = 0;                    ///< leaf that it ends at
    std::vector<Stage> stages = {};  ///< in the order of time
};

/// Of a complete call. Of several last ones the first in the order of the tree.
CriticalPath critical_path_of(const StageTimes& times, std::size_t call);

/// How often something was on the critical path, and what it cost there.
struct CriticalCost {
    std::size_t calls = 0;
    double total_ns = 0;  ///< in all these calls
    double share = 0;     ///< of the time of all critical paths
};
struct CriticalStage {
    Stage stage;
    CriticalCost cost = {};
};
struct CriticalNode {
    Node node = 0;
    CriticalCost cost = {};
};
/// The joins and stores that a rank performs cost it time; that it is at one end of an edge counts as being
/// on the path, but the edge's time is the edge's own.
struct CriticalRank {
    int rank = 0;
    CriticalCost cost = {};
};
struct LeafShare {
    int leaf = 0;
    double share = 0;  ///< of the calls
};

/// Over all complete calls; what costs most comes first.
struct CriticalPaths {
    std::size_t calls = 0;
    std::optional<StageSummary> time = {};
    std::vector<CriticalStage> stages = {};
    std::vector<CriticalNode> edges = {};  ///< by their lower end, both ways together
    std::vector<CriticalNode> joins = {};  ///< down, up, departure waits, and the store at the root
    std::vector<CriticalRank> ranks = {};
    std::vector<LeafShare> begins = {};           ///< the leaf waited for; the most frequent first
    std::vector<LeafShare> ends = {};             ///< the leaf that left last
    std::vector<LeafShare> slowest = {};          ///< the leaf with the slowest path, arrival waits left out
    std::optional<StageSummary> slowest_ns = {};  ///< time of the slowest path of each call
};

CriticalPaths critical_paths(const StageTimes& times, const PathTimes& paths);

}  // namespace fathom::tree
