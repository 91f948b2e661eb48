#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tree/tree.hpp"

/// What one rank has to do to perform a tree, worked out once: calls only walk through flat arrays. Knows no
/// MPI.
namespace fathom::collectives {

/// Neighbouring leaves, by their numbers in the tree, whose contributions are joined in one partial result.
struct Run {
    int first = 0;
    int last = 0;

    friend bool operator==(const Run&, const Run&) = default;
};

/// An edge between a node of this thread and one of another rank or thread, seen from here.
struct Link {
    tree::Node node = 0;  ///< at the lower end
    int rank = 0;         ///< at the other end
    tree::EdgeKind kind = tree::EdgeKind::message;
    bool shared = false;   ///< through shared memory, not messages
    int runs = 1;          ///< partial results that come down it together
    int join = -1;         ///< that the other end contributes to, within the part; of a child's link alone
    int first_piece = -1;  ///< of what comes down it; of a child's link alone
    int reader = 0;        ///< place among the readers of the upper end's ring
    int readers = 0;       ///< of the upper end's ring
    int event = 0;         ///< of the collector at this end, in Program::collectors
};

/// A partial result that a join gets from one of its children.
struct Piece {
    bool written = false;  ///< another one is merged into it, so it must be in memory of our own
    bool local = false;    ///< the result of a join of the same part, where it lies
    int next = 0;          ///< the merge that waits for it; ~join where it is a result already
};

/// Ranks stay in order whatever the tree: the left one, of lower ranks, goes into the right one.
struct Merge {
    int left = 0;  ///< pieces in which both results are
    int right = 0;
    int next = 0;  ///< as in Piece
};

/// A join that this rank performs.
struct OwnJoin {
    int join = 0;                    ///< in the tree
    int parent = -1;                 ///< within the part; -1 for its top
    int parent_piece = -1;           ///< the first of the pieces that it is to its parent
    std::vector<int> results = {};   ///< pieces in which its runs end up
    std::vector<int> messages = {};  ///< links to children, in the order in which results are sent to them
    std::vector<int> shared = {};    ///< links to children that read its ring
    std::vector<int> own_children = {};  ///< joins of the part below it
    bool has_leaf = false;
    int own_event = 0;      ///< of the collectors at both ends of its edge, in Program::collectors
    int parent_event = -1;  ///< -1 if another rank has that end, or nobody
};

/// Nodes of a rank's first thread that are connected without leaving it. Parts work independently of each
/// other. Most ranks have one; a join that stands elsewhere than its children is a part of its own.
struct Part {
    static constexpr int above = -1;
    static constexpr int own_leaf = -2;

    bool has_leaf = false;
    int leaf_piece = -1;         ///< if there is also a join
    std::vector<OwnJoin> joins;  ///< children before parents; the last is the top
    std::vector<Piece> pieces;
    std::vector<Merge> merges;
    std::vector<Link> children;
    std::optional<Link> parent;  ///< none at the root of the tree
    /// Which way the first thread of each rank lies: a child's link, above or own_leaf.
    std::vector<int> toward;
    /// Whether the first thread of a rank lies below another reader of the ring that this part's top reads.
    std::vector<std::uint8_t> beside;
    int leaf_own_event = -1;
    int leaf_parent_event = -1;  ///< -1 if the part is a leaf alone
};

/// What a thread of a rank does that is not its first: it has a leaf and nothing else.
struct ThreadPlan {
    Link parent;
    std::vector<std::uint8_t> beside;  ///< as in Part
    std::uint32_t collector = 0;
};

struct Program {
    std::vector<Part> parts;  ///< of the rank's first thread; the one with the leaf comes first
    std::vector<std::uint32_t> collectors;
    std::vector<ThreadPlan> threads;  ///< of the rank's threads from 1 on
    int most_runs = 1;                ///< of any node of the tree, whoever performs it
};

/// The program of `rank` of `size`. `shared_memory` says whether edges of shared memory are performed as
/// such, not as messages. Throws BadInput if the tree is not a tree over these ranks, Unavailable if it has
/// leaves for threads, which need shared memory, and there is none.
Program make_program(const tree::Tree& tree, int rank, int size, bool shared_memory);

/// Throws BadInput if an edge of shared memory leaves a host; `host_of` has a number for each rank.
void check_hosts(const tree::Tree& tree, std::span<const int> host_of);

/// Where rings lie in the memory that ranks of a host share: each rank has those that it writes, after its
/// bell. A thread that has only a leaf has a bell of its own, before its ring.
struct RingPlaces {
    std::vector<std::size_t> bytes;          ///< that each rank provides
    std::vector<std::size_t> down;           ///< of each node towards its parent; unused where there is none
    std::vector<std::size_t> up;             ///< of each join towards its children
    std::vector<std::size_t> bell;           ///< of the thread that performs each node
    std::vector<std::size_t> capacity_down;  ///< of a slot, in bytes
};
RingPlaces place_rings(const tree::Tree& tree, int size, std::size_t segment_bytes);

}  // namespace fathom::collectives
