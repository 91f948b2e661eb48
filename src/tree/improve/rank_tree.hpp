#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tree/hosts.hpp"
#include "tree/tree.hpp"

/// Finding a better tree: what candidates look like, what they are predicted to cost, and which of them are
/// worth measuring. docs/trees.md describes the method.
namespace fathom::tree {

/// A tree in which every join stands on a rank that contributes to it: all standard shapes are of this kind.
/// What is left to choose is to whom each rank hands its part, how ranks of a host exchange data, and in what
/// pieces.
struct RankTree {
    std::vector<int> parents;  ///< of each rank; -1: the root
    EdgeKind within_hosts = EdgeKind::message;
    std::optional<Bytes> segment = {};

    friend bool operator==(const RankTree&, const RankTree&) = default;
};

/// As ranks see a tree: joins of one rank become one.
RankTree rank_tree_of(const Tree& tree);

/// The tree to perform. `hosts` of each rank; empty: one host.
Tree tree_of(const RankTree& ranks, const Hosts& hosts, std::string name);

/// Whether joins need no more than one partial result from each contributor, so that nothing is sent twice.
bool keeps_order(const RankTree& ranks);

/// What differs from a tree by one step: a rank with all below it moves up, or below a rank beside it; a join
/// moves to one of its contributors; all hosts do the same; another kind of edge or size of segment. Those
/// that keep ranks in order.
std::vector<RankTree> neighbours_of(const RankTree& ranks, const Hosts& hosts, Bytes size,
                                    const std::vector<EdgeKind>& kinds);

/// Trees of one shape within hosts and one between them, in every combination of the usual shapes: starting
/// points.
std::vector<RankTree> combinations_of_shapes(int procs, const Hosts& hosts,
                                             const std::vector<EdgeKind>& kinds);

}  // namespace fathom::tree
