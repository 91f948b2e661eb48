#include "tree/analysis/node_index.hpp"

#include <utility>

namespace fathom::tree {

NodeIndex::NodeIndex(Tree tree) : tree_(std::move(tree)) {
    const auto count = static_cast<std::size_t>(nodes());
    parents_.reserve(count);
    ranks_.reserve(count);
    for (const auto& leaf : tree_.leaves) {
        parents_.push_back(node_of_join(tree_, leaf.parent));
        ranks_.push_back(leaf.rank);
    }
    for (const auto& join : tree_.joins) {
        parents_.push_back(join.parent < 0 ? -1 : node_of_join(tree_, join.parent));
        ranks_.push_back(join.rank);
    }
    children_.resize(count);
    for (Node node = 0; node < nodes(); ++node) {
        if (parent(node) >= 0) {
            children_[static_cast<std::size_t>(parent(node))].push_back(node);
        }
    }
}

EdgeKind NodeIndex::edge(Node node) const {
    return is_leaf(node) ? tree_.leaves[static_cast<std::size_t>(node)].edge
                         : tree_.joins[static_cast<std::size_t>(node - leaves())].edge;
}

std::vector<int> NodeIndex::leaves_below(Node node) const {
    if (is_leaf(node)) {
        return {node};
    }
    std::vector<int> found;
    std::vector<Node> open{node};
    while (!open.empty()) {
        const Node join = open.back();
        open.pop_back();
        for (const Node child : children(join)) {
            (is_leaf(child) ? found : open).push_back(child);
        }
    }
    return found;
}

std::vector<Node> NodeIndex::way_to_root(Node node) const {
    std::vector<Node> way;
    for (; node >= 0; node = parent(node)) {
        way.push_back(node);
    }
    return way;
}

std::string NodeIndex::name(Node node) const {
    if (!is_leaf(node)) {
        return tree_.joins[static_cast<std::size_t>(node - leaves())].name;
    }
    const auto& leaf = tree_.leaves[static_cast<std::size_t>(node)];
    return std::to_string(leaf.rank) + (leaf.thread > 0 ? ":" + std::to_string(leaf.thread) : "");
}

Node NodeIndex::find(const std::string& name) const {
    for (Node node = 0; node < nodes(); ++node) {
        if (this->name(node) == name) {
            return node;
        }
    }
    return -1;
}

int NodeIndex::rank_of_collector(std::size_t collector) const {
    const auto node = static_cast<Node>(collector / 2);
    return rank(collector % 2 == 0 ? node : parent(node));
}

}  // namespace fathom::tree
