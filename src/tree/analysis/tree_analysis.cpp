#include "tree/analysis/tree_analysis.hpp"

namespace fathom::tree {

TreeAnalysis analyse(const StageTimes& times, const analysis::Evidence* evidence) {
    TreeAnalysis found{.index = times.index(),
                       .down = times.calls().down,
                       .up = times.calls().up,
                       .calls = times.size(),
                       .complete = times.complete().size(),
                       .dropped = times.calls().dropped,
                       .strays = times.calls().strays};
    found.edges = edges_of(times);
    found.joins = joins_of(times);
    found.subtrees = subtrees_of(times);
    found.store = summary_of(times.series({StageKind::store, times.index().root()}));
    const auto paths = path_times(times);
    found.tree = summary_of(paths.tree_ns);
    for (int leaf = 0; leaf < times.index().leaves(); ++leaf) {
        const auto place = static_cast<std::size_t>(leaf);
        const auto in_call = summary_of(paths.in_call[place]);
        const auto without_waits = summary_of(paths.without_waits[place]);
        if (in_call && without_waits) {
            found.paths.push_back({.leaf = leaf, .in_call = *in_call, .without_waits = *without_waits});
        }
    }
    found.critical = critical_paths(times, paths);
    found.balance = load_balance_of(times, paths, found.joins);
    found.clusters = clusters_of(times, paths);
    for (const auto& cluster : found.clusters) {
        found.breakdowns.push_back(breakdown_of(times, cluster.representative, false));
    }
    found.outliers = stage_outliers(times, paths, evidence);
    found.periodic = periodic_disturbances(times, paths);
    found.timemap = timemap_of(times, true);
    found.timemap_without_waits = timemap_of(times, false);
    found.advice = advice_of(times, found.critical, found.balance, found.outliers, found.periodic);
    return found;
}

}  // namespace fathom::tree
