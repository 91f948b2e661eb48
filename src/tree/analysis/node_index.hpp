#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tree/tree.hpp"

namespace fathom::tree {

/// How the nodes of a tree relate to each other, worked out once. The tree is one that was checked.
class NodeIndex {
  public:
    explicit NodeIndex(Tree tree);

    [[nodiscard]] const Tree& tree() const { return tree_; }
    [[nodiscard]] int leaves() const { return static_cast<int>(tree_.leaves.size()); }
    [[nodiscard]] int joins() const { return static_cast<int>(tree_.joins.size()); }
    [[nodiscard]] int nodes() const { return leaves() + joins(); }
    [[nodiscard]] Node root() const { return leaves(); }
    [[nodiscard]] bool is_leaf(Node node) const { return node < leaves(); }
    /// -1 for the root.
    [[nodiscard]] Node parent(Node node) const { return parents_[static_cast<std::size_t>(node)]; }
    /// The contributors of a join, leaves first; none of a leaf.
    [[nodiscard]] const std::vector<Node>& children(Node node) const {
        return children_[static_cast<std::size_t>(node)];
    }
    [[nodiscard]] int rank(Node node) const { return ranks_[static_cast<std::size_t>(node)]; }
    [[nodiscard]] EdgeKind edge(Node node) const;
    /// All leaves from which data come through a node, itself if it is one.
    [[nodiscard]] std::vector<int> leaves_below(Node node) const;
    /// From a node to the root, both included.
    [[nodiscard]] std::vector<Node> way_to_root(Node node) const;
    /// `3`, of a thread `3:1`, of a join its name.
    [[nodiscard]] std::string name(Node node) const;
    /// The leaf of a rank and thread, or the join of a name; -1 if there is none.
    [[nodiscard]] Node find(const std::string& name) const;

    /// Including the one at the parent's end of the root, which is never used.
    [[nodiscard]] std::size_t collectors() const { return 2 * static_cast<std::size_t>(nodes()); }
    /// Whether a collector is there at all.
    [[nodiscard]] bool has_collector(std::size_t collector) const {
        return collector < collectors() &&
               collector != static_cast<std::size_t>(collector_of(root(), End::parent));
    }
    /// The rank that writes the events of a collector.
    [[nodiscard]] int rank_of_collector(std::size_t collector) const;

  private:
    Tree tree_;
    std::vector<Node> parents_;
    std::vector<std::vector<Node>> children_;
    std::vector<int> ranks_;
};

}  // namespace fathom::tree
