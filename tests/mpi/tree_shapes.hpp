#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tree/tree.hpp"

/// Trees made by hand, without the room that makes them for users.
namespace fathom::test {

using tree::EdgeKind;
using tree::Join;
using tree::Tree;

inline std::size_t at(int index) {
    return static_cast<std::size_t>(index);
}

/// A tree over ranks 0 to ranks - 1: joins as given, and for each rank the join it contributes to.
inline Tree made_of(std::string name, std::vector<Join> joins, const std::vector<int>& parents) {
    Tree made{.name = std::move(name), .joins = std::move(joins), .leaves = {}, .segment = {}};
    for (std::size_t i = 0; i < made.joins.size(); ++i) {
        made.joins[i].name = "j" + std::to_string(i);
    }
    for (std::size_t rank = 0; rank < parents.size(); ++rank) {
        made.leaves.push_back({.rank = static_cast<int>(rank), .parent = parents[rank]});
    }
    return made;
}

inline Join join_on(int rank, int parent = -1) {
    return {.name = "", .rank = rank, .parent = parent};
}

inline Tree flat(int ranks) {
    return made_of("flat", std::vector<Join>{join_on(0)}, std::vector<int>(at(ranks), 0));
}

/// A join for each rank, below the one that `parent_of` says.
template <class ParentOf>
Tree one_join_a_rank(const std::string& name, int ranks, const ParentOf& parent_of) {
    std::vector<Join> joins;
    std::vector<int> parents;
    for (int rank = 0; rank < ranks; ++rank) {
        joins.push_back(join_on(rank, rank == 0 ? -1 : parent_of(rank)));
        parents.push_back(rank);
    }
    return made_of(name, joins, parents);
}

inline Tree chain(int ranks) {
    return one_join_a_rank("chain", ranks, [](int rank) { return rank - 1; });
}

inline Tree binomial(int ranks) {
    return one_join_a_rank("binomial", ranks, [](int rank) { return rank & (rank - 1); });
}

/// Pairs of ranks that stand side by side, then all pairs.
inline Tree two_level(int ranks) {
    std::vector<Join> joins{join_on(0)};
    std::vector<int> parents;
    for (int rank = 0; rank < ranks; ++rank) {
        if (rank % 2 == 0) {
            joins.push_back(join_on(rank, 0));
        }
        parents.push_back(static_cast<int>(joins.size()) - 1);
    }
    return made_of("two-level", joins, parents);
}

/// Even ranks on one side, odd ones on the other: no walk through it meets the ranks in order.
inline Tree scattered(int ranks) {
    std::vector<Join> joins{join_on(ranks - 1), join_on(0, 0)};
    if (ranks > 1) {
        joins.push_back(join_on(ranks / 2, 0));
    }
    std::vector<int> parents;
    for (int rank = 0; rank < ranks; ++rank) {
        parents.push_back(1 + rank % 2);
    }
    return made_of("scattered", joins, parents);
}

/// Joins on ranks that contribute elsewhere, and ranks that are not neighbours below one join.
inline Tree moved(int ranks) {
    std::vector<Join> joins{join_on(1 % ranks), join_on(ranks - 1, 0)};
    if (ranks > 1) {
        joins.push_back(join_on(0, 1));
    }
    std::vector<int> parents;
    for (int rank = 0; rank < ranks; ++rank) {
        parents.push_back(rank == 0 ? 1 : rank % 3 == 0 ? 0 : 2);
    }
    return made_of("moved", joins, parents);
}

/// The binomial tree from the other end.
inline Tree backwards(int ranks) {
    auto made = binomial(ranks);
    made.name = "backwards";
    for (auto& join : made.joins) {
        join.rank = ranks - 1 - join.rank;
    }
    for (auto& leaf : made.leaves) {
        leaf.parent = ranks - 1 - leaf.rank;
    }
    return made;
}

inline std::vector<Tree> all_shapes(int ranks) {
    return {flat(ranks),      chain(ranks), binomial(ranks), two_level(ranks),
            scattered(ranks), moved(ranks), backwards(ranks)};
}

/// `kind_of(node)` for every edge within a host, messages elsewhere.
template <class KindOf>
Tree with_edges(Tree made, const std::vector<int>& host_of, const KindOf& kind_of) {
    const auto rank_of = [&](int join) { return made.joins[at(join)].rank; };
    const auto kind = [&](int rank, int parent, int node) {
        const bool near = parent < 0 || host_of[at(rank)] == host_of[at(rank_of(parent))];
        return near ? kind_of(node) : EdgeKind::message;
    };
    int node = 0;
    for (auto& leaf : made.leaves) {
        leaf.edge = kind(leaf.rank, leaf.parent, node++);
    }
    for (auto& join : made.joins) {
        join.edge = kind(join.rank, join.parent, node++);
    }
    return made;
}

inline Tree with_edges(const Tree& made, const std::vector<int>& host_of, EdgeKind kind) {
    return with_edges(made, host_of, [kind](int /*node*/) { return kind; });
}

/// Each rank with this many leaves more than the shape has: threads that contribute where the rank does, or,
/// the odd ones, to the last join on the rank's host, by an edge of this kind.
inline Tree with_threads(Tree made, const std::vector<int>& host_of, int more, EdgeKind kind) {
    std::vector<tree::Leaf> leaves;
    for (const auto& leaf : made.leaves) {
        leaves.push_back(leaf);
        const auto near = [&](int join) {
            return host_of[at(made.joins[at(join)].rank)] == host_of[at(leaf.rank)];
        };
        int last = static_cast<int>(made.joins.size()) - 1;
        while (last > 0 && !near(last)) {
            --last;
        }
        for (int thread = 1; thread <= more; ++thread) {
            const bool elsewhere = (thread % 2 == 1 && near(last)) || !near(leaf.parent);
            leaves.push_back({.rank = leaf.rank,
                              .thread = thread,
                              .parent = elsewhere ? last : leaf.parent,
                              .edge = kind});
        }
    }
    made.leaves = std::move(leaves);
    made.name += " with " + std::to_string(more + 1) + " threads";
    return made;
}

}  // namespace fathom::test
