#include "tree/analysis/paths.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "stats/mean.hpp"
#include "stats/quantile.hpp"

namespace fathom::tree {
namespace {

/// Where a path begins and ends in a call.
struct PathEnds {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
};

/// When data of a broadcast entered: at the leaf that they come from, or else at the root of the tree.
std::int64_t entry_of_broadcast(const StageTimes& times, std::size_t call) {
    for (int leaf = 0; leaf < times.index().leaves(); ++leaf) {
        if (const auto& own = times.calls().at(call, leaf, End::own); own.source) {
            return own.up_ns;
        }
    }
    return times.calls().at(call, times.index().root(), End::own).up_ns;
}

PathEnds ends_of(const StageTimes& times, std::size_t call, int leaf) {
    const auto& calls = times.calls();
    const auto& own = calls.at(call, leaf, End::own);
    const auto& root = calls.at(call, times.index().root(), End::own);
    return {.begin_ns = calls.down ? own.down_ns : entry_of_broadcast(times, call),
            .end_ns = calls.up ? own.up_ns : root.down_ns};
}

/// What a node waits for other contributors on its way down, at its parent and all joins beyond. By node.
std::vector<std::int64_t> waits_to_root(const StageTimes& times, std::size_t call) {
    const auto& index = times.index();
    std::vector<std::int64_t> waits(static_cast<std::size_t>(index.nodes()), 0);
    if (!times.calls().down) {
        return waits;
    }
    const auto put = [&](Node node) {
        waits[static_cast<std::size_t>(node)] = *times.time(call, {StageKind::arrival_wait, node}) +
                                                waits[static_cast<std::size_t>(index.parent(node))];
    };
    // Joins come after their parents, and leaves last.
    for (Node join = index.root() + 1; join < index.nodes(); ++join) {
        put(join);
    }
    for (int leaf = 0; leaf < index.leaves(); ++leaf) {
        put(leaf);
    }
    return waits;
}

/// Means of stages are needed again and again: the paths of leaves share most of them.
class MeanOfStages {
  public:
    explicit MeanOfStages(const StageTimes& times) : times_(times) {}

    double operator()(const Stage& stage) {
        const auto [found, is_new] = known_.try_emplace(stage, 0.0);
        if (is_new) {
            const auto series = times_.series(stage);
            found->second = series.empty() ? 0 : stats::mean(series);
        }
        return found->second;
    }

  private:
    const StageTimes& times_;
    std::map<Stage, double> known_;
};

std::vector<Stage> path_stages(const StageTimes& times, Node node, bool with_arrival_waits) {
    auto stages = path_of(times.index(), node, times.calls().down, times.calls().up);
    if (!with_arrival_waits) {
        std::erase_if(stages, [](const Stage& stage) { return stage.kind == StageKind::arrival_wait; });
    }
    return stages;
}

/// How much nearer to the root a stage leads: an edge and a join make one step each. What a join does on the
/// way up are two stages.
double depth_of(StageKind kind) {
    switch (kind) {
        case StageKind::edge_down:
        case StageKind::join_down:
            return 1;
        case StageKind::edge_up:
            return -1;
        case StageKind::join_up:
        case StageKind::departure_wait:
            return -0.5;
        case StageKind::arrival_wait:
        case StageKind::store:
            break;
    }
    return 0;
}

/// Paths as clusters compare them.
struct PathProfile {
    int leaf = 0;
    double mean_ns = 0;
    std::vector<double> stage_means;
};

/// How much two paths differ, as a share of the slower one; more than 1 if they have other stages.
double difference_of(const PathProfile& a, const PathProfile& b) {
    if (a.stage_means.size() != b.stage_means.size()) {
        return 2;
    }
    double sum = 0;
    for (std::size_t i = 0; i < a.stage_means.size(); ++i) {
        sum += std::abs(a.stage_means[i] - b.stage_means[i]);
    }
    const double whole = std::max(a.mean_ns, b.mean_ns);
    return whole > 0 ? sum / whole : 0;
}

std::vector<PathProfile> profiles_of(const StageTimes& times) {
    MeanOfStages mean(times);
    std::vector<PathProfile> profiles;
    for (int leaf = 0; leaf < times.index().leaves(); ++leaf) {
        PathProfile profile{.leaf = leaf, .mean_ns = 0, .stage_means = {}};
        for (const auto& stage : path_stages(times, leaf, false)) {
            profile.stage_means.push_back(mean(stage));
            profile.mean_ns += profile.stage_means.back();
        }
        profiles.push_back(std::move(profile));
    }
    std::stable_sort(profiles.begin(), profiles.end(),
                     [](const auto& a, const auto& b) { return a.mean_ns > b.mean_ns; });
    return profiles;
}

/// In how many calls each leaf had the slowest path; simultaneous ones share a call.
std::vector<double> slowest_counts(const PathTimes& paths) {
    std::vector<double> counts(paths.without_waits.size(), 0);
    for (std::size_t call = 0; call < paths.tree_ns.size(); ++call) {
        double slowest = paths.without_waits.front()[call];
        for (const auto& path : paths.without_waits) {
            slowest = std::max(slowest, path[call]);
        }
        const auto holds = [&](const auto& path) { return path[call] == slowest; };
        const auto sharing = std::ranges::count_if(paths.without_waits, holds);
        for (std::size_t leaf = 0; leaf < counts.size(); ++leaf) {
            if (holds(paths.without_waits[leaf])) {
                counts[leaf] += 1 / static_cast<double>(sharing);
            }
        }
    }
    return counts;
}

}  // namespace

PathTimes path_times(const StageTimes& times) {
    const auto leaves = static_cast<std::size_t>(times.index().leaves());
    PathTimes paths;
    paths.without_waits.resize(leaves);
    paths.in_call.resize(leaves);
    for (const auto call : times.complete()) {
        const auto waits = waits_to_root(times, call);
        auto last_entry = Event::never;
        auto last_departure = Event::never;
        for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
            const auto ends = ends_of(times, call, static_cast<int>(leaf));
            paths.in_call[leaf].push_back(static_cast<double>(ends.end_ns - ends.begin_ns));
            paths.without_waits[leaf].push_back(
                static_cast<double>(ends.end_ns - ends.begin_ns - waits[leaf]));
            last_entry = std::max(last_entry, ends.begin_ns);
            last_departure = std::max(last_departure, ends.end_ns);
        }
        paths.tree_ns.push_back(static_cast<double>(last_departure - last_entry));
    }
    return paths;
}

Breakdown breakdown_of(const StageTimes& times, Node node, bool with_arrival_waits) {
    Breakdown breakdown{.node = node};
    for (const auto& stage : path_stages(times, node, with_arrival_waits)) {
        if (const auto time = summary_of(times.series(stage))) {
            breakdown.mean_ns += time->mean_ns;
            breakdown.in_order.push_back({.stage = stage, .time = *time});
        }
    }
    for (auto& cost : breakdown.in_order) {
        cost.share = breakdown.mean_ns > 0 ? cost.time.mean_ns / breakdown.mean_ns : 0;
    }
    breakdown.hot_first = breakdown.in_order;
    std::stable_sort(breakdown.hot_first.begin(), breakdown.hot_first.end(),
                     [](const auto& a, const auto& b) { return a.time.mean_ns > b.time.mean_ns; });
    return breakdown;
}

std::vector<KindCost> costs_by_kind(const StageTimes& times, Node join) {
    const auto& index = times.index();
    std::map<StageKind, KindCost> costs;
    for (const auto& stage : all_stages(index, times.calls().down, times.calls().up)) {
        const bool at_join = stage.kind == StageKind::join_down || stage.kind == StageKind::join_up ||
                             stage.kind == StageKind::store;
        const auto way = index.way_to_root(at_join ? stage.node : index.parent(stage.node));
        const auto series = times.series(stage);
        if (series.empty() || std::ranges::find(way, join) == way.end()) {
            continue;
        }
        auto& cost = costs[stage.kind];
        cost.kind = stage.kind;
        const double mean = stats::mean(series);
        if (cost.stages == 0 || mean > cost.worst_ns) {
            cost.worst_ns = mean;
            cost.worst = stage.node;
        }
        cost.mean_ns += mean;
        ++cost.stages;
    }
    std::vector<KindCost> found;
    for (auto& [kind, cost] : costs) {
        cost.mean_ns /= static_cast<double>(cost.stages);
        found.push_back(cost);
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.worst_ns > b.worst_ns; });
    return found;
}

std::vector<PathCluster> clusters_of(const StageTimes& times, const PathTimes& paths) {
    // Paths whose stages differ by less, added up, have the same behaviour: the deviation of a stage's mean
    // over calls is of this size in the paper.
    constexpr double same_within = 0.1;
    // Of the calls: paths that are the slowest less often than this do not decide what a call takes.
    constexpr double hardly_ever = 0.01;
    if (paths.tree_ns.empty()) {
        return {};
    }
    const auto counts = slowest_counts(paths);
    const auto profiles = profiles_of(times);
    std::vector<std::vector<const PathProfile*>> groups;  // the first of each is its slowest path
    for (const auto& profile : profiles) {
        const auto same = std::ranges::find_if(
            groups, [&](const auto& group) { return difference_of(*group.front(), profile) <= same_within; });
        if (same == groups.end()) {
            groups.push_back({&profile});
        } else {
            same->push_back(&profile);
        }
    }
    std::vector<PathCluster> clusters;
    for (const auto& group : groups) {
        PathCluster cluster;
        std::vector<double> means;
        double slowest = 0;
        for (const auto* profile : group) {
            cluster.leaves.push_back(profile->leaf);
            means.push_back(profile->mean_ns);
            slowest += counts[static_cast<std::size_t>(profile->leaf)];
        }
        std::ranges::sort(cluster.leaves);
        cluster.mean_ns = stats::mean(means);
        const double middle = stats::median_of(means);
        cluster.representative = (*std::ranges::min_element(group, {}, [&](const PathProfile* profile) {
                                     return std::abs(profile->mean_ns - middle);
                                 }))->leaf;
        cluster.slowest_share = slowest / static_cast<double>(paths.tree_ns.size());
        cluster.fast = cluster.slowest_share < hardly_ever;
        clusters.push_back(std::move(cluster));
    }
    return clusters;
}

std::size_t cluster_of(const std::vector<PathCluster>& clusters, int leaf) {
    const auto found = std::ranges::find_if(clusters, [&](const PathCluster& cluster) {
        return std::ranges::binary_search(cluster.leaves, leaf);
    });
    return found == clusters.end() ? 0 : static_cast<std::size_t>(found - clusters.begin());
}

std::vector<TimemapLine> timemap_of(const StageTimes& times, bool with_arrival_waits) {
    MeanOfStages mean(times);
    std::vector<TimemapLine> lines;
    for (int leaf = 0; leaf < times.index().leaves(); ++leaf) {
        const auto stages = path_stages(times, leaf, with_arrival_waits);
        const auto first_up = std::ranges::find_if_not(stages, [](const Stage& stage) {
            return depth_of(stage.kind) > 0 || stage.kind == StageKind::arrival_wait;
        });
        TimemapLine line{.leaf = leaf};
        double x = 0;
        for (auto stage = stages.begin(); stage != first_up; ++stage) {
            x -= mean(*stage);
        }
        double depth = 0;
        const auto follow = [&](auto begin, auto end, std::vector<TimemapPoint>& points) {
            points.push_back({.x_ns = x, .depth = depth});
            for (auto stage = begin; stage != end; ++stage) {
                x += mean(*stage);
                depth += depth_of(stage->kind);
                points.push_back({.x_ns = x, .depth = depth});
            }
        };
        follow(stages.begin(), first_up, line.down);
        x = 0;  // exactly, whatever was rounded
        depth = static_cast<double>(2 * (times.index().way_to_root(leaf).size() - 1));
        follow(first_up, stages.end(), line.up);
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace fathom::tree
