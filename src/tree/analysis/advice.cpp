#include "tree/analysis/advice.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace fathom::tree {
namespace {

/// Of the time of critical paths: a stage with this much is where to begin. Removing it whole would make
/// calls a quarter faster.
constexpr double large_share = 0.2;
/// Of it, or of the time of a call: what has more is most of it.
constexpr double most_of_it = 0.5;
/// By which outliers must slow a stage down to be mentioned.
constexpr double notable_slowdown = 1.1;

AdviceKind kind_for(StageKind stage) {
    return stage == StageKind::join_down ? AdviceKind::join_computes
           : stage == StageKind::join_up ? AdviceKind::join_wakes_slowly
                                         : AdviceKind::serialised_wake_up;
}

void advise_on_balance(const NodeIndex& index, const LoadBalance& balance, std::vector<Advice>& advice) {
    if (balance.program_share >= most_of_it) {
        advice.push_back({.kind = AdviceKind::program_imbalance,
                          .share = balance.program_share,
                          .time_ns = balance.imbalance_ns,
                          .factor = balance.fastest_factor});
    }
    std::set<int> in_subtrees;
    // Where the program says whose work it is, what a subtree shares is not the question.
    for (const Node join : balance.busiest ? std::vector<Node>{} : balance.late_subtrees) {
        const auto leaves = index.leaves_below(join);
        Advice found{.kind = AdviceKind::late_subtree, .node = join, .count = leaves.size()};
        for (const auto& leaf : balance.late) {
            if (std::ranges::find(leaves, leaf.leaf) != leaves.end()) {
                in_subtrees.insert(leaf.leaf);
                found.share = std::max(found.share, leaf.share);
                found.time_ns = std::max(found.time_ns, leaf.late_ns);
            }
        }
        advice.push_back(found);
    }
    const auto& busiest = balance.busiest;
    const auto is_busiest = [&](const LateLeaf& leaf) { return busiest && leaf.leaf == busiest->leaf; };
    const auto waits_for_busiest = [&](const LateLeaf& leaf) {
        return busiest && leaf.follows == busiest->leaf;
    };
    if (busiest && std::ranges::none_of(balance.late, is_busiest)) {
        advice.push_back({.kind = AdviceKind::late_leaf,
                          .node = busiest->leaf,
                          .time_ns = busiest->saved_ns,
                          .factor = busiest->times_middle});
    }
    for (const auto& leaf : balance.late) {
        if (!in_subtrees.contains(leaf.leaf)) {
            const bool by_work = is_busiest(leaf) || waits_for_busiest(leaf);
            advice.push_back({.kind = AdviceKind::late_leaf,
                              .node = leaf.leaf,
                              .share = leaf.share,
                              .time_ns = leaf.late_ns,
                              .factor = by_work ? std::optional(busiest->times_middle) : std::nullopt,
                              .follows = leaf.follows});
        }
    }
}

/// What the joins and edges on critical paths suggest.
void advise_on_stages(const NodeIndex& index, const CriticalPaths& critical, std::vector<Advice>& advice) {
    const auto per_call = [&](double total_ns) { return total_ns / static_cast<double>(critical.calls); };
    std::map<std::pair<AdviceKind, Node>, CriticalCost> at_joins;
    CriticalCost edges;
    for (const auto& [stage, cost] : critical.stages) {
        if (stage.kind == StageKind::edge_down || stage.kind == StageKind::edge_up) {
            edges.total_ns += cost.total_ns;
            edges.share += cost.share;
            edges.calls += cost.calls;
        } else if (stage.kind != StageKind::store) {
            const Node join = stage.kind == StageKind::departure_wait ? index.parent(stage.node) : stage.node;
            auto& sum = at_joins[{kind_for(stage.kind), join}];
            sum.total_ns += cost.total_ns;
            sum.share += cost.share;
        }
    }
    std::vector<Advice> found;
    for (const auto& [what, cost] : at_joins) {
        if (cost.share >= large_share) {
            found.push_back({.kind = what.first,
                             .node = what.second,
                             .share = cost.share,
                             .time_ns = per_call(cost.total_ns),
                             .count = index.children(what.second).size()});
        }
    }
    if (edges.share >= most_of_it && !critical.edges.empty()) {
        // A path has this many edges down and up together.
        const auto on_path = (edges.calls + critical.calls / 2) / critical.calls;
        found.push_back({.kind = AdviceKind::edges_dominate,
                         .node = critical.edges.front().node,
                         .share = edges.share,
                         .time_ns = per_call(edges.total_ns),
                         .count = on_path,
                         .factor = cost_of_twice_the_connections});
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.share > b.share; });
    advice.insert(advice.end(), found.begin(), found.end());
}

}  // namespace

std::vector<Advice> advice_of(const StageTimes& times, const CriticalPaths& critical,
                              const std::optional<LoadBalance>& balance,
                              const std::vector<StageOutliers>& outliers,
                              const std::vector<PeriodicDisturbance>& periodic) {
    std::vector<Advice> advice;
    if (balance) {
        advise_on_balance(times.index(), *balance, advice);
    }
    // Where tuning the tree does not help, how to tune it is not said.
    const bool worth_tuning = advice.empty() || advice.front().kind != AdviceKind::program_imbalance;
    if (critical.calls > 0 && worth_tuning) {
        advise_on_stages(times.index(), critical, advice);
    }
    for (const auto& found : outliers) {
        if (found.slowdown >= notable_slowdown) {
            advice.push_back(
                {.kind = AdviceKind::outliers,
                 .node = found.stage.node,
                 .share = static_cast<double>(found.outliers) / static_cast<double>(found.calls),
                 .time_ns = found.lost_ns,
                 .count = found.outliers,
                 .factor = found.times_usual,
                 .cause = found.causes.empty() ? std::nullopt : std::optional(found.causes.front().kind),
                 .stage = found.stage.kind});
        }
    }
    for (const auto& found : periodic) {
        advice.push_back({.kind = AdviceKind::periodic,
                          .count = found.events,
                          .rank = found.rank,
                          .period_ns = found.period.length});
    }
    return advice;
}

}  // namespace fathom::tree
