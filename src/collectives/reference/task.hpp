#pragma once

#include <cstddef>
#include <span>

#include <mpi.h>

#include "collectives/layout.hpp"
#include "collectives/reference/arithmetic.hpp"
#include "collectives/reference/messages.hpp"
#include "collectives/reference/scratch.hpp"

namespace fathom::collectives::reference {

/// One call of a collective, and what algorithms are made of. Where data are moved, elements are bytes; where
/// they are reduced, those of the caller's datatype.
struct Task {
    Messages& net;
    Scratch& memory;
    Layout layout;
    const std::byte* in = nullptr;  ///< this rank's own contribution; `out` where it is there already
    std::byte* out = nullptr;       ///< of the result; null where this rank gets none
    std::size_t count = 0;          ///< elements of the whole, or of a block where all have the same size
    Starts blocks = {};             ///< reduce_scatter: where blocks of ranks start in the whole
    int root = 0;
    MPI_Op op = MPI_OP_NULL;
    bool commutative = true;
    std::size_t segment = 1;             ///< bcast: elements of a message in a pipeline
    std::span<std::size_t> starts = {};  ///< room for those of shares or groups: one more than ranks

    [[nodiscard]] int rank() const { return net.rank(); }
    [[nodiscard]] int size() const { return net.size(); }
    /// The rank that is so many further on, around the ring of all.
    [[nodiscard]] int ahead(int ranks) const { return (rank() + ranks) % size(); }
    [[nodiscard]] int behind(int ranks) const { return (rank() - ranks + size()) % size(); }

    [[nodiscard]] std::byte* at(std::byte* base, std::size_t element) const {
        return base + static_cast<std::ptrdiff_t>(element) * layout.extent;
    }
    [[nodiscard]] const std::byte* at(const std::byte* base, std::size_t element) const {
        return base + static_cast<std::ptrdiff_t>(element) * layout.extent;
    }
    /// The block of a rank, where all have the same size.
    [[nodiscard]] std::byte* block(std::byte* base, int rank) const {
        return at(base, index_of(rank) * count);
    }
    [[nodiscard]] const std::byte* block(const std::byte* base, int rank) const {
        return at(base, index_of(rank) * count);
    }
    /// Room for elements, as if they were in the caller's memory.
    [[nodiscard]] std::byte* room(Slot slot, std::size_t elements) const {
        return memory.get(slot, layout.span(elements)) - layout.true_lower;
    }

    /// Leaves gaps of the destination as they are.
    void copy(const std::byte* from, std::byte* to, std::size_t elements) const;
    /// Puts another partial result to the left (of lower ranks) or to the right of one. Uses up the other.
    void combine(std::byte* result, std::byte* other, std::size_t elements, bool other_is_lower) const;
    /// The own contribution to where the result is to be.
    void take_own(std::byte* result) const {
        if (in != result) {
            copy(in, result, count);
        }
    }
};

// Parts of several algorithms. `node` is this rank's number among those that take part.

/// Down a binomial tree over the first `nodes` numbers from the root on: node k gets share k of what the root
/// has at `base`, and those of its subtree.
void scatter_shares(const Task& task, std::byte* base, Starts shares, const Binomial& tree, int nodes);
/// Around the ring of all ranks: every node has its share at `base` and gets all others.
void gather_shares_around_ring(const Task& task, std::byte* base, Starts shares, int node);
/// Everything of everybody, where blocks are of one size and the own one is in its place.
void ring_of_blocks(const Task& task);

/// The contributions of a pair become one partial result of the rank that acts. False: this one does not act,
/// and has no result.
bool fold_in(const Task& task, const Fold& fold, std::byte* result);
/// Who acts sends the whole result to the other one of its pair.
void fold_out(const Task& task, const Fold& fold, std::byte* result, std::size_t elements);

/// A range of shares, from the first to before the last.
struct Range {
    int first = 0;
    int last = 0;
};
/// Reduce-scatter by distance doubling and vector halving over the places of a fold: one share each, in the
/// order of the places' reversed bits. Keeps the order of ranks. Returns the share.
Range halve(const Task& task, const Fold& fold, std::byte* result, Starts shares);

}  // namespace fathom::collectives::reference
