#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tree/analysis/parts.hpp"
#include "tree/analysis/paths.hpp"
#include "tree/analysis/stage.hpp"

namespace fathom::tree {

/// A leaf that enters calls late, more often and by more than chance.
struct LateLeaf {
    int leaf = 0;
    double rate = 0;     ///< of the calls: it was among the last to enter
    double chance = 0;   ///< what that would be if all leaves were the same
    double late_ns = 0;  ///< by how much later than the middle leaf it then was, on average
    double share =
        0;  ///< of all time that the program's lateness cost, in calls in which it was among the last
    double p_value = 1;  ///< corrected for the number of leaves
    /// A leaf that is late together with it, and nearly always clearly later, or about as late and ahead of
    /// it; or the leaf that computes longest. Where ranks exchange messages before the call, it waits for
    /// that one.
    std::optional<int> follows = {};
};

/// A leaf that computes longer between calls than the others, as the program measured it. It need not enter
/// calls late itself: where ranks exchange messages before the call, its neighbours wait for it.
struct BusiestLeaf {
    int leaf = 0;
    double times_middle = 1;  ///< as long as the middle leaf computes
    double more_ns = 0;       ///< longer than the middle leaf, for each call
    double saved_ns = 0;      ///< for each call, if all computed equally long
};

/// The weights of the graph of last arrivals, and the path from the root with the heaviest ones.
struct HeaviestPath {
    std::vector<Node> nodes = {};      ///< from the root's contributor to a leaf
    std::vector<double> weights = {};  ///< last arrivals of each at its join
};

/// When leaves enter calls: what the program does, apart from what the tree costs.
struct LoadBalance {
    std::size_t calls = 0;  ///< looked at
    HeaviestPath heaviest = {};
    std::optional<StageSummary> entry_spread = {};  ///< from the first entry to the last
    /// By how much later the last leaf entered than it would have if all had taken the usual time since the
    /// call before. What the tree itself did to entries, by letting some leaves go later than others, is not
    /// in it.
    std::optional<StageSummary> program_wait = {};
    /// What uneven work costs for each call: the program's wait, or more where ranks wait for the busiest one
    /// in messages of their own, which no trace of the tree shows.
    double imbalance_ns = 0;
    /// Of that and the time of the tree together: how much is the program's.
    double program_share = 0;
    /// By which calls would be faster if the tree took no time; nothing if the program never waits.
    std::optional<double> fastest_factor = {};
    Nanoseconds clock_bound{0};               ///< within which entries of different ranks are known
    std::optional<BusiestLeaf> busiest = {};  ///< nothing if all compute about as long, or nobody measured it
    std::vector<LateLeaf> late = {};          ///< those that others follow first, then by their share
    /// Joins all of whose leaves are late: the whole subtree is; the highest ones.
    std::vector<Node> late_subtrees = {};
};

/// Nothing for operations without a way down, and where no call is complete.
std::optional<LoadBalance> load_balance_of(const StageTimes& times, const PathTimes& paths,
                                           const std::vector<JoinResult>& joins);

/// The chance that anybody is named in a run in which all leaves are the same.
inline constexpr double late_false_alarms = 1e-5;

}  // namespace fathom::tree
