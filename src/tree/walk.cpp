#include "tree/walk.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace fathom::tree {
namespace {

const Leaf& leaf_at(const Tree& tree, Node node) {
    return tree.leaves[static_cast<std::size_t>(node)];
}
const Join& join_of(const Tree& tree, Node node) {
    return tree.joins[static_cast<std::size_t>(join_at(tree, node))];
}

}  // namespace

int rank_of(const Tree& tree, Node node) {
    return is_leaf(tree, node) ? leaf_at(tree, node).rank : join_of(tree, node).rank;
}

EdgeKind edge_of(const Tree& tree, Node node) {
    return is_leaf(tree, node) ? leaf_at(tree, node).edge : join_of(tree, node).edge;
}

std::optional<Node> parent_of(const Tree& tree, Node node) {
    const int parent = is_leaf(tree, node) ? leaf_at(tree, node).parent : join_of(tree, node).parent;
    return parent < 0 ? std::nullopt : std::optional(node_of_join(tree, parent));
}

int rank_count(const Tree& tree) {
    return tree.leaves.empty() ? 0 : tree.leaves.back().rank + 1;
}

std::vector<Span> spans_of(const Tree& tree) {
    const Span empty{.first = std::numeric_limits<int>::max(), .last = -1, .count = 0};
    std::vector<Span> spans(static_cast<std::size_t>(node_count(tree)), empty);
    for (int leaf = 0; leaf < static_cast<int>(tree.leaves.size()); ++leaf) {
        spans[static_cast<std::size_t>(leaf)] = {.first = leaf, .last = leaf, .count = 1};
    }
    const auto add_to_parent = [&](Node node) {
        if (const auto parent = parent_of(tree, node)) {
            const auto& own = spans[static_cast<std::size_t>(node)];
            auto& above = spans[static_cast<std::size_t>(*parent)];
            above.first = std::min(above.first, own.first);
            above.last = std::max(above.last, own.last);
            above.count += own.count;
        }
    };
    for (Node node = 0; is_leaf(tree, node); ++node) {
        add_to_parent(node);
    }
    // Joins come after their parents: from the last on, each is complete when its turn comes.
    for (Node node = node_count(tree) - 1; node > root_of(tree); --node) {
        add_to_parent(node);
    }
    return spans;
}

std::vector<std::vector<Node>> children_of(const Tree& tree) {
    const auto spans = spans_of(tree);
    std::vector<std::vector<Node>> children(tree.joins.size());
    for (Node node = 0; node < node_count(tree); ++node) {
        if (const auto parent = parent_of(tree, node)) {
            children[static_cast<std::size_t>(join_at(tree, *parent))].push_back(node);
        }
    }
    for (auto& list : children) {
        std::sort(list.begin(), list.end(), [&](Node a, Node b) {
            return spans[static_cast<std::size_t>(a)].first < spans[static_cast<std::size_t>(b)].first;
        });
    }
    return children;
}

std::vector<int> depths_of(const Tree& tree) {
    std::vector<int> depths(static_cast<std::size_t>(node_count(tree)), 0);
    const auto set = [&](Node node) {
        if (const auto parent = parent_of(tree, node)) {
            depths[static_cast<std::size_t>(node)] = depths[static_cast<std::size_t>(*parent)] + 1;
        }
    };
    for (Node node = root_of(tree); node < node_count(tree); ++node) {
        set(node);
    }
    for (Node node = 0; is_leaf(tree, node); ++node) {
        set(node);
    }
    return depths;
}

int height_of(const Tree& tree) {
    const auto depths = depths_of(tree);
    return depths.empty() ? 0 : *std::max_element(depths.begin(), depths.end());
}

std::vector<Step> steps_of(const Tree& tree, int rank) {
    std::vector<Step> steps;
    std::vector<Node> joins;
    for (Node node = 0; node < node_count(tree); ++node) {
        if (rank_of(tree, node) != rank) {
            continue;
        }
        if (is_leaf(tree, node)) {
            steps.push_back({.node = node});
        } else {
            joins.push_back(node);
        }
    }
    if (joins.empty()) {
        return steps;
    }
    const auto depths = depths_of(tree);
    const auto spans = spans_of(tree);
    const auto key = [&](Node node) {
        const auto at = static_cast<std::size_t>(node);
        return std::pair(-depths[at], spans[at].first);
    };
    std::sort(joins.begin(), joins.end(), [&](Node a, Node b) { return key(a) < key(b); });
    auto children = children_of(tree);
    for (const auto join : joins) {
        steps.push_back(
            {.node = join, .children = std::move(children[static_cast<std::size_t>(join_at(tree, join))])});
    }
    return steps;
}

std::optional<int> join_out_of_order(const Tree& tree) {
    // The children of a join do not interleave with each other everywhere exactly if every subtree has all
    // leaves between its first and its last.
    const auto spans = spans_of(tree);
    for (Node node = root_of(tree) + 1; node < node_count(tree); ++node) {
        const auto& span = spans[static_cast<std::size_t>(node)];
        if (span.last - span.first + 1 != span.count) {
            return join_at(tree, *parent_of(tree, node));
        }
    }
    return std::nullopt;
}

}  // namespace fathom::tree
