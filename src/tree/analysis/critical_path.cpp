#include "tree/analysis/critical_path.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace fathom::tree {
namespace {

/// The leaf that left the call last.
int last_to_leave(const StageTimes& times, std::size_t call) {
    int last = 0;
    for (int leaf = 1; leaf < times.index().leaves(); ++leaf) {
        if (times.calls().at(call, leaf, End::own).up_ns > times.calls().at(call, last, End::own).up_ns) {
            last = leaf;
        }
    }
    return last;
}

template <typename Key>
using Costs = std::map<Key, CriticalCost>;

template <typename Key>
void charge(Costs<Key>& costs, const Key& key, double ns) {
    costs[key].total_ns += ns;
}

/// Entries of a table, the most expensive first, with their shares.
template <typename Entry, typename Key>
std::vector<Entry> entries_of(const Costs<Key>& costs, double whole_ns) {
    std::vector<Entry> entries;
    for (const auto& [key, cost] : costs) {
        entries.push_back({key, cost});
        entries.back().cost.share = whole_ns > 0 ? cost.total_ns / whole_ns : 0;
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const auto& a, const auto& b) { return a.cost.total_ns > b.cost.total_ns; });
    return entries;
}

std::vector<LeafShare> leaf_shares(const std::map<int, double>& counts, std::size_t calls) {
    std::vector<LeafShare> shares;
    for (const auto& [leaf, count] : counts) {
        shares.push_back({.leaf = leaf, .share = count / static_cast<double>(calls)});
    }
    std::stable_sort(shares.begin(), shares.end(),
                     [](const auto& a, const auto& b) { return a.share > b.share; });
    return shares;
}

bool is_edge(StageKind kind) {
    return kind == StageKind::edge_down || kind == StageKind::edge_up;
}

/// Adds up critical paths.
class CriticalSum {
  public:
    explicit CriticalSum(const StageTimes& times) : times_(times) {}

    void add(std::size_t call) {
        const auto path = critical_path_of(times_, call);
        ++begins_[path.first];
        ++ends_[path.last];
        double whole = 0;
        std::set<Node> edges;
        std::set<Node> joins;
        std::set<int> ranks;
        for (const auto& stage : path.stages) {
            const auto time = times_.time(call, stage);
            if (!time) {
                continue;  // where a broadcast's data did not pass upwards
            }
            const auto ns = static_cast<double>(*time);
            whole += ns;
            charge(stages_, stage, ns);
            ++stages_[stage].calls;
            const auto& index = times_.index();
            for (const int rank : ranks_of(index, stage)) {
                ranks.insert(rank);
            }
            if (is_edge(stage.kind)) {
                charge(edges_, stage.node, ns);
                edges.insert(stage.node);
                continue;
            }
            const Node join = stage.kind == StageKind::departure_wait ? index.parent(stage.node) : stage.node;
            charge(joins_, join, ns);
            joins.insert(join);
            charge(ranks_, index.rank(join), ns);
        }
        count(edges, edges_);
        count(joins, joins_);
        count(ranks, ranks_);
        whole_.push_back(whole);
    }

    void put_into(CriticalPaths& found) const {
        found.calls = whole_.size();
        found.time = summary_of(whole_);
        double sum = 0;
        for (const double whole : whole_) {
            sum += whole;
        }
        found.stages = entries_of<CriticalStage>(stages_, sum);
        found.edges = entries_of<CriticalNode>(edges_, sum);
        found.joins = entries_of<CriticalNode>(joins_, sum);
        found.ranks = entries_of<CriticalRank>(ranks_, sum);
        found.begins = leaf_shares(begins_, found.calls);
        found.ends = leaf_shares(ends_, found.calls);
    }

  private:
    template <typename Key>
    static void count(const std::set<Key>& on_path, Costs<Key>& costs) {
        for (const auto& key : on_path) {
            ++costs[key].calls;
        }
    }

    const StageTimes& times_;
    Costs<Stage> stages_;
    Costs<Node> edges_;
    Costs<Node> joins_;
    Costs<int> ranks_;
    std::map<int, double> begins_;
    std::map<int, double> ends_;
    std::vector<double> whole_;
};

}  // namespace

CriticalPath critical_path_of(const StageTimes& times, std::size_t call) {
    const auto& index = times.index();
    CriticalPath path;
    if (times.calls().down) {
        std::vector<Node> way;  // from the root to the leaf that it waited for
        for (Node node = index.root(); !index.is_leaf(node); node = way.back()) {
            way.push_back(times.moments(call, node).last);
        }
        path.first = way.back();
        for (auto place = way.size(); place-- > 0;) {
            const Node node = way[place];
            path.stages.push_back({StageKind::edge_down, node});
            path.stages.push_back({StageKind::join_down, index.parent(node)});
        }
    }
    if (times.calls().down && times.calls().up) {
        path.stages.push_back({StageKind::store, index.root()});
    }
    if (times.calls().up) {
        path.last = last_to_leave(times, call);
        const auto up = path_of(index, path.last, false, true);
        path.stages.insert(path.stages.end(), up.begin(), up.end());
    }
    if (!times.calls().down) {
        path.first = path.last;
    } else if (!times.calls().up) {
        path.last = path.first;
    }
    return path;
}

CriticalPaths critical_paths(const StageTimes& times, const PathTimes& paths) {
    CriticalPaths found;
    if (times.complete().empty()) {
        return found;
    }
    CriticalSum sum(times);
    for (const auto call : times.complete()) {
        sum.add(call);
    }
    sum.put_into(found);
    std::map<int, double> slowest;
    std::vector<double> slowest_ns;
    for (std::size_t call = 0; call < paths.tree_ns.size(); ++call) {
        std::size_t worst = 0;
        for (std::size_t leaf = 1; leaf < paths.without_waits.size(); ++leaf) {
            if (paths.without_waits[leaf][call] > paths.without_waits[worst][call]) {
                worst = leaf;
            }
        }
        ++slowest[static_cast<int>(worst)];
        slowest_ns.push_back(paths.without_waits[worst][call]);
    }
    found.slowest = leaf_shares(slowest, found.calls);
    found.slowest_ns = summary_of(slowest_ns);
    return found;
}

}  // namespace fathom::tree
