#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "base/named_enum.hpp"
#include "machine/topology.hpp"
#include "tree/hosts.hpp"
#include "tree/tree.hpp"

/// The standard shapes.
namespace fathom::tree {

enum class Shape {
    flat,         ///< one join for all
    binary,       ///< every rank joins its own contribution with two subtrees
    k_ary,        ///< the same with `arity` subtrees
    binomial,     ///< subtrees of 1, 2, 4 ... ranks
    chain,        ///< every rank joins its own contribution with that of the ranks behind it
    two_level,    ///< inside hosts, then between them
    three_level,  ///< inside hosts, then inside sites, then between them
    topology      ///< by what cores share: caches, NUMA nodes, sockets; then between hosts
};
constexpr std::array<std::string_view, 8> enum_names(Shape /*unused*/) {
    return {"flat", "binary", "k-ary", "binomial", "chain", "two-level", "three-level", "topology"};
}

/// Subtrees of a join of a k-ary tree: half as high as a binary tree, and a join still receives few messages.
inline constexpr int usual_arity = 4;
/// Sites of a three-level tree: the fewest that differ from a two-level tree.
inline constexpr int usual_sites = 2;

/// One line of help.
std::string_view summary_of(Shape shape);

/// What a tree is made from.
struct Recipe {
    Shape shape = Shape::flat;
    int procs = 1;
    Hosts hosts = {};  ///< of each rank; empty: one host
    std::optional<int> arity =
        std::nullopt;  ///< subtrees of a join; by default as the shape says, or no limit
    std::optional<int> sites = std::nullopt;  ///< that the hosts are divided into, by block
    EdgeKind edge = EdgeKind::message;        ///< within hosts; between them, edges are messages
    std::optional<Bytes> segment = std::nullopt;
    machine::Topology topology = {};  ///< of every host
};

/// The tree of a recipe; its name is that of its shape. In all of them ranks are in order (tree/walk.hpp),
/// and a join is performed by the lowest rank below it. By topology, the first rank of a host is taken to be
/// on its first core, and so on. Throws BadInput that says what to give: where a shape needs hosts, or does
/// not use an arity or sites that are given.
Tree make_tree(const Recipe& recipe);

}  // namespace fathom::tree
