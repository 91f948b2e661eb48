#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tree/analysis/stage.hpp"
#include "tree/analysis/traced_calls.hpp"

/// Trees whose calls take exactly the times that a test sets.
namespace fathom::tree {

inline Tree with_leaves(std::string name, int leaves, std::vector<Join> joins,
                        const std::function<int(int)>& parent) {
    Tree tree{.name = std::move(name), .joins = std::move(joins), .leaves = {}, .segment = {}};
    for (int rank = 0; rank < leaves; ++rank) {
        tree.leaves.push_back({.rank = rank, .thread = 0, .parent = parent(rank)});
    }
    return tree;
}

inline Tree flat_tree(int leaves) {
    return with_leaves("flat", leaves, {{.name = "root", .rank = 0}}, [](int) { return 0; });
}

/// Join i has leaf i and join i + 1; the last one has the last two leaves.
inline Tree chain_tree(int leaves) {
    std::vector<Join> joins;
    for (int i = 0; i + 1 < leaves; ++i) {
        joins.push_back({.name = "chain" + std::to_string(i), .rank = i, .parent = i - 1});
    }
    return with_leaves("chain", leaves, std::move(joins),
                       [leaves](int rank) { return rank < leaves - 1 ? rank : leaves - 2; });
}

/// Of 8: the root has leaves 0 and 1, `two` (2 and 3) and `four` (4 and 5, and `six` with 6 and 7).
inline Tree binomial_tree() {
    return with_leaves("binomial", 8,
                       {{.name = "root", .rank = 0},
                        {.name = "two", .rank = 2, .parent = 0},
                        {.name = "four", .rank = 4, .parent = 0},
                        {.name = "six", .rank = 6, .parent = 2}},
                       [](int rank) {
                           return rank < 2 ? 0 : rank < 4 ? 1 : rank < 6 ? 2 : 3;
                       });
}

inline Tree two_level_tree(int hosts, int each) {
    std::vector<Join> joins{{.name = "root", .rank = 0}};
    for (int host = 0; host < hosts; ++host) {
        joins.push_back({.name = "host" + std::to_string(host), .rank = host * each, .parent = 0});
    }
    return with_leaves("two-level", hosts * each, std::move(joins),
                       [each](int rank) { return 1 + rank / each; });
}

/// What the stages of a call take. Contributors leave a join in the order of the tree, each `gap` after the
/// one before.
struct StageSettings {
    std::int64_t edge_down = 1'000;
    std::int64_t edge_up = 1'300;
    std::int64_t join_down = 70;
    std::int64_t join_up = 50;
    std::int64_t gap = 20;
    std::int64_t store = 11;
    std::map<Stage, std::int64_t> other = {};  ///< of single stages: edges, join_down and join_up

    [[nodiscard]] std::int64_t of(StageKind kind, Node node) const {
        if (const auto found = other.find({kind, node}); found != other.end()) {
            return found->second;
        }
        switch (kind) {
            case StageKind::edge_down:
                return edge_down;
            case StageKind::edge_up:
                return edge_up;
            case StageKind::join_down:
                return join_down;
            case StageKind::join_up:
                return join_up;
            case StageKind::store:
                return store;
            case StageKind::arrival_wait:
            case StageKind::departure_wait:
                break;
        }
        return 0;
    }
};

/// The passages of a call whose leaves enter at these times.
inline std::vector<Passage> passages_of_call(const NodeIndex& index, const StageSettings& settings,
                                             const std::vector<std::int64_t>& entries) {
    std::vector<Passage> passages(index.collectors());
    const auto at = [&](Node node, End end) -> Passage& {
        return passages[static_cast<std::size_t>(collector_of(node, end))];
    };
    for (int leaf = 0; leaf < index.leaves(); ++leaf) {
        at(leaf, End::own).down_ns = entries[static_cast<std::size_t>(leaf)];
    }
    const auto send = [&](Node node) {
        at(node, End::parent).down_ns = at(node, End::own).down_ns + settings.of(StageKind::edge_down, node);
    };
    for (int leaf = 0; leaf < index.leaves(); ++leaf) {
        send(leaf);
    }
    for (Node join = index.nodes() - 1; join >= index.root(); --join) {
        auto last = Event::never;
        for (const Node child : index.children(join)) {
            last = std::max(last, at(child, End::parent).down_ns);
        }
        at(join, End::own).down_ns = last + settings.of(StageKind::join_down, join);
        if (join != index.root()) {
            send(join);
        }
    }
    at(index.root(), End::own).up_ns =
        at(index.root(), End::own).down_ns + settings.of(StageKind::store, index.root());
    for (Node join = index.root(); join < index.nodes(); ++join) {
        auto departure = at(join, End::own).up_ns + settings.of(StageKind::join_up, join);
        for (const Node child : index.children(join)) {
            at(child, End::parent).up_ns = departure;
            at(child, End::own).up_ns = departure + settings.of(StageKind::edge_up, child);
            departure += settings.gap;
        }
    }
    return passages;
}

/// Calls one after the other: leaves enter `pause(leaf, call)` after they left the one before.
inline TracedCalls calls_in_a_row(const NodeIndex& index, std::size_t count,
                                  const std::function<StageSettings(std::size_t call)>& settings,
                                  const std::function<std::int64_t(int leaf, std::size_t call)>& pause) {
    TracedCalls calls;
    std::vector<std::int64_t> entries(static_cast<std::size_t>(index.leaves()), 1'000'000);
    for (std::size_t call = 0; call < count; ++call) {
        for (int leaf = 0; leaf < index.leaves(); ++leaf) {
            entries[static_cast<std::size_t>(leaf)] += pause(leaf, call);
        }
        auto passages = passages_of_call(index, settings(call), entries);
        for (int leaf = 0; leaf < index.leaves(); ++leaf) {
            entries[static_cast<std::size_t>(leaf)] =
                passages[static_cast<std::size_t>(collector_of(leaf, End::own))].up_ns;
        }
        calls.calls.push_back(
            {.launch = 0, .number = static_cast<std::uint32_t>(call), .passages = std::move(passages)});
    }
    return calls;
}

/// The same calls, in all of which all leaves enter simultaneously.
inline TracedCalls simultaneous_calls(const NodeIndex& index, std::size_t count,
                                      const StageSettings& settings) {
    TracedCalls calls;
    constexpr std::int64_t apart = 1'000'000;
    for (std::size_t call = 0; call < count; ++call) {
        const std::vector<std::int64_t> entries(static_cast<std::size_t>(index.leaves()),
                                                static_cast<std::int64_t>(call) * apart);
        calls.calls.push_back({.launch = 0,
                               .number = static_cast<std::uint32_t>(call),
                               .passages = passages_of_call(index, settings, entries)});
    }
    return calls;
}

}  // namespace fathom::tree
