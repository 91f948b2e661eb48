#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/named_enum.hpp"
#include "base/units.hpp"

/// Spanning trees of collective operations: what they are, how they are made, checked, drawn, analysed and
/// improved. Nothing here knows MPI: src/collectives performs them.
namespace fathom::tree {

/// How a node and its parent exchange data. All but messages need both ends on one host.
enum class EdgeKind {
    message,  ///< MPI point-to-point
    flag,     ///< shared memory, whose reader spins on an atomic
    futex,    ///< shared memory, whose reader sleeps in the kernel
    condvar   ///< shared memory with a mutex and a condition variable, as in the paper
};
constexpr std::array<std::string_view, 4> enum_names(EdgeKind /*unused*/) {
    return {"message", "flag", "futex", "condvar"};
}

/// Where contributions come from: a rank, or a thread of one.
struct Leaf {
    int rank = 0;
    int thread = 0;
    int parent = 0;  ///< index of the join that it contributes to
    EdgeKind edge = EdgeKind::message;

    friend bool operator==(const Leaf&, const Leaf&) = default;
};

/// Where contributions are joined: an inner node.
struct Join {
    std::string name;  ///< unique, for people
    int rank = 0;      ///< that performs it
    int parent = -1;   ///< index of the join above; -1: the root
    EdgeKind edge = EdgeKind::message;

    friend bool operator==(const Join&, const Join&) = default;
};

/// A whole tree. The root is join 0, and every other join comes after its parent.
struct Tree {
    std::string name;
    std::vector<Join> joins;
    std::vector<Leaf> leaves;             ///< in the order of rank and thread
    std::optional<Bytes> segment;         ///< larger messages go through the tree in pieces of this size
    std::vector<std::string> hosts = {};  ///< which the tree was made for, by rank; empty: it does not say

    friend bool operator==(const Tree&, const Tree&) = default;
};

/// Where a tree does not say in what pieces large messages go.
inline constexpr Bytes usual_segment{65'536};

/// A node of either kind: leaves come first. Node n has collectors 2 n at its own end of the edge to its
/// parent (at the root: around the store of the result) and 2 n + 1 at the parent's end.
using Node = int;
inline Node node_of_leaf(int leaf) {
    return leaf;
}
inline Node node_of_join(const Tree& tree, int join) {
    return static_cast<int>(tree.leaves.size()) + join;
}

enum class End { own, parent };
inline int collector_of(Node node, End end) {
    return 2 * node + (end == End::own ? 0 : 1);
}

/// What a collector saw of one call: when data passed it on the way down (towards the root) and up again, by
/// the clock of the rank that performs that end. A way that the operation does not have (up, in a reduce) is
/// `never`.
struct Event {
    static constexpr std::int64_t never = INT64_MIN;

    std::uint32_t call = 0;  ///< number of the call of this tree, from 0
    std::uint32_t collector = 0;
    std::int64_t down_ns = never;
    std::int64_t up_ns = never;

    friend bool operator==(const Event&, const Event&) = default;
};

}  // namespace fathom::tree
