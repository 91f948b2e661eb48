#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "tree/analysis/critical_path.hpp"
#include "tree/analysis/load_balance.hpp"
#include "tree/analysis/outliers.hpp"

namespace fathom::tree {

/// What a measurement suggests to change, by the rules of Bongo, Anshus and Bjorndalen (2004).
enum class AdviceKind {
    program_imbalance,   ///< most of the time passes before the last leaf enters: tuning the tree does not
                         ///< help
    late_leaf,           ///< one leaf is waited for
    late_subtree,        ///< all leaves of a subtree are
    join_computes,       ///< large down latency: the operation itself takes long
    join_wakes_slowly,   ///< large up latency: the implementation of the join
    serialised_wake_up,  ///< large departure waits: contributors are woken one after the other
    edges_dominate,      ///< most of the time passes on edges
    outliers,            ///< rare outliers of a stage cost much
    periodic             ///< a disturbance that recurs
};
constexpr std::array<std::string_view, 9> enum_names(AdviceKind /*unused*/) {
    return {"program-imbalance",  "late-leaf",      "late-subtree", "join-computes", "join-wakes-slowly",
            "serialised-wake-up", "edges-dominate", "outliers",     "periodic"};
}

struct Advice {
    AdviceKind kind = AdviceKind::edges_dominate;
    std::optional<Node> node = {};  ///< the leaf, join or lower end of an edge that it is about
    double share = 0;               ///< of the time that it concerns: of a call, or of critical paths
    double time_ns = 0;             ///< per call
    std::size_t count = 0;          ///< contributors of the join, edges on a path, outliers, events
    /// Of what can be gained, of outliers to the usual, of a leaf that computes longest to the middle one.
    std::optional<double> factor = {};
    std::optional<CountedKind> cause = {};  ///< what the kernel counted at the same time
    std::optional<StageKind> stage = {};    ///< of outliers
    std::optional<int> rank = {};           ///< of a periodic disturbance
    std::optional<double> period_ns = {};
    std::optional<Node> follows = {};  ///< of a late leaf: who it waits for
};

/// What twice the connections on a path cost, in times: not 2, since what a connection costs depends on the
/// load of its hosts (section 4 there).
inline constexpr double cost_of_twice_the_connections = 1.55;

/// The most important first.
std::vector<Advice> advice_of(const StageTimes& times, const CriticalPaths& critical,
                              const std::optional<LoadBalance>& balance,
                              const std::vector<StageOutliers>& outliers,
                              const std::vector<PeriodicDisturbance>& periodic);

}  // namespace fathom::tree
