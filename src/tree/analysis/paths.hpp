#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tree/analysis/stage.hpp"

namespace fathom::tree {

/// The times of whole paths, call by call: of complete calls only.
struct PathTimes {
    /// By leaf and complete call: what its path took without arrival waits, which hide what is fast and slow.
    std::vector<std::vector<double>> without_waits = {};
    /// By leaf and complete call: from entering the call to leaving it.
    std::vector<std::vector<double>> in_call = {};
    /// By complete call: from the last entry to the last departure. What the tree costs, whoever is late.
    std::vector<double> tree_ns = {};
};

/// One-way operations have paths too: to the root's join in a reduce, from it in a broadcast.
PathTimes path_times(const StageTimes& times);

/// One stage of a breakdown.
struct StageCost {
    Stage stage;
    StageSummary time;
    double share = 0;  ///< of the mean time of the whole
};

/// The path of a leaf, or of a join, by stages.
struct Breakdown {
    Node node = 0;
    double mean_ns = 0;                     ///< the sum of the stages' means
    std::vector<StageCost> in_order = {};   ///< as data pass them
    std::vector<StageCost> hot_first = {};  ///< by what they cost
};

/// Arrival waits are left out unless wanted.
Breakdown breakdown_of(const StageTimes& times, Node node, bool with_arrival_waits);

/// All stages below a join, added up by kind: what a subtree that can be changed independently costs.
struct KindCost {
    StageKind kind = StageKind::store;
    std::size_t stages = 0;
    double mean_ns = 0;   ///< of a stage and call
    double worst_ns = 0;  ///< mean of its slowest stage
    Node worst = 0;
};
std::vector<KindCost> costs_by_kind(const StageTimes& times, Node join);

/// Paths that behave the same: as many stages, and mean times that differ little.
struct PathCluster {
    std::vector<int> leaves = {};
    int representative = 0;    ///< the leaf whose path is nearest to the middle of the cluster
    double mean_ns = 0;        ///< of its paths, without arrival waits
    double slowest_share = 0;  ///< of the calls: one of its paths was the slowest
    bool fast = false;         ///< hardly ever the slowest: improving these paths gains nothing
};

/// The slowest first.
std::vector<PathCluster> clusters_of(const StageTimes& times, const PathTimes& paths);

/// The place of the cluster that a leaf's path belongs to; 0 if there are none.
std::size_t cluster_of(const std::vector<PathCluster>& clusters, int leaf);

/// The line of a leaf in a timemap: mean time along its path. x = 0 is where data are stored at the root; the
/// way down lies at x < 0, that up at x > 0.
struct TimemapPoint {
    double x_ns = 0;
    double depth = 0;  ///< 0 at the leaf; an edge and a join are one step each
};
struct TimemapLine {
    int leaf = 0;
    std::vector<TimemapPoint> down = {};
    std::vector<TimemapPoint> up = {};
};
std::vector<TimemapLine> timemap_of(const StageTimes& times, bool with_arrival_waits);

}  // namespace fathom::tree
