#pragma once

#include <optional>
#include <vector>

#include "tree/tree.hpp"

/// Ways through a tree. All of them take trees that hold together (tree/check.hpp).
namespace fathom::tree {

inline int node_count(const Tree& tree) {
    return static_cast<int>(tree.leaves.size() + tree.joins.size());
}
inline Node root_of(const Tree& tree) {
    return node_of_join(tree, 0);
}
inline bool is_leaf(const Tree& tree, Node node) {
    return node < static_cast<int>(tree.leaves.size());
}
/// The index of a node among the joins; not for leaves.
inline int join_at(const Tree& tree, Node node) {
    return node - static_cast<int>(tree.leaves.size());
}

/// The rank that performs a node: of a leaf, its own.
int rank_of(const Tree& tree, Node node);
/// How a node and its parent exchange data; not for the root.
EdgeKind edge_of(const Tree& tree, Node node);
/// Nothing for the root.
std::optional<Node> parent_of(const Tree& tree, Node node);

/// The ranks that contribute, 0 to this less one.
int rank_count(const Tree& tree);

/// The leaves below a node: how many, and the first and last of them. Leaves are in the order of ranks.
struct Span {
    int first = 0;
    int last = 0;
    int count = 0;

    friend bool operator==(const Span&, const Span&) = default;
};
/// Of every node.
std::vector<Span> spans_of(const Tree& tree);

/// The children of every join, each list in the order of the lowest rank and thread below them.
std::vector<std::vector<Node>> children_of(const Tree& tree);

/// Edges between the root and every node.
std::vector<int> depths_of(const Tree& tree);
/// Edges on the longest way from a leaf to the root.
int height_of(const Tree& tree);

/// A node that a rank performs.
struct Step {
    Node node = 0;
    std::vector<Node> children =
        {};  ///< of a join, in rank order: the order in which contributions are combined

    friend bool operator==(const Step&, const Step&) = default;
};
/// What a rank performs on the way down, in an order in which it can: the leaves of its threads, then its
/// joins, those furthest from the root first, so that what a join waits for on its own rank comes before it.
/// On the way up it is the reverse.
std::vector<Step> steps_of(const Tree& tree, int rank);

/// The first join whose children have ranks that interleave. Nothing if there is none: then an in-order walk,
/// in which each join combines its children in rank order, gives all contributions in rank order, as
/// operations that do not commute need it.
std::optional<int> join_out_of_order(const Tree& tree);
inline bool in_rank_order(const Tree& tree) {
    return !join_out_of_order(tree);
}

}  // namespace fathom::tree
