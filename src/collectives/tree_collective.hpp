#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <mpi.h>

#include "collectives/event_ring.hpp"
#include "collectives/thread_leaf.hpp"
#include "collectives/tracer.hpp"
#include "tree/tree.hpp"

/// Collective operations that we perform ourselves, over MPI point-to-point and shared memory. Used by the
/// probe and by what is preloaded into users' programs: nothing here depends on either. No call allocates,
/// locks or changes a global; the exceptions are named in docs/trees.md.
namespace fathom::collectives {

/// The same on all ranks.
struct TreeOptions {
    std::size_t largest_bytes = 0;  ///< of a contribution; buffers are made for it. Larger ones work too
    double simulated_edge_ns = 0;  ///< in simulation, what an edge of shared memory costs (see docs/trees.md)
    std::size_t largest_element_bytes = 0;  ///< of a datatype, if that is larger than a segment
};

/// What pieces large messages go through a tree in, if the tree does not say: they stay in a core's second
/// cache, and moving one takes an order longer than starting to.
inline constexpr std::size_t usual_segment_bytes = static_cast<std::size_t>(tree::usual_segment.count);

/// One tree on one communicator. Made and destroyed collectively by all of its ranks; used by one thread of
/// each, which performs the rank's joins, its messages and the leaf of its thread 0. Other leaves of the rank
/// are performed by threads of their own at the same time, each with its ThreadLeaf.
class TreeCollective {
  public:
    /// Throws BadInput if the tree does not fit the communicator or its hosts, Unavailable if it cannot be
    /// performed (leaves for threads need MPI_THREAD_FUNNELED, and do not exist in simulation), NotMeasured
    /// if MPI fails; on all ranks or on none.
    TreeCollective(MPI_Comm communicator, const tree::Tree& tree, const TreeOptions& options);
    TreeCollective(const TreeCollective&) = delete;
    TreeCollective& operator=(const TreeCollective&) = delete;
    ~TreeCollective();

    // As the MPI functions of these names; errors of MPI are returned. MPI_IN_PLACE is accepted. An element
    // larger than both a segment and `largest_element_bytes` is MPI_ERR_TYPE. Partial results are joined in
    // the order of ranks and their threads and always in the same brackets, so results are reproducible
    // whatever the operation.
    int allreduce(const void* send, void* receive, int count, MPI_Datatype datatype, MPI_Op op);
    int reduce(const void* send, void* receive, int count, MPI_Datatype datatype, MPI_Op op, int root);
    int bcast(void* buffer, int count, MPI_Datatype datatype, int root);
    int barrier();

    /// Leaves of this rank: 1 if it has no threads.
    [[nodiscard]] int threads() const;
    /// That of a thread from 1 to threads() - 1. Every one takes part in every call.
    [[nodiscard]] ThreadLeaf& thread(int number);

    /// From the next call on, events of the chosen calls go to `ring`, those of the rank's other threads to
    /// rings of their own (ThreadLeaf::trace); nullptr: none, which costs nothing but one branch a call.
    void trace(EventRing* ring, TimeSource time, const TraceChoice& choice = {});
    /// Calls so far: what the next event is numbered with.
    [[nodiscard]] std::uint32_t calls() const;
    /// Most events that this thread has of one call: what a ring needs for each. A ThreadLeaf has one.
    [[nodiscard]] std::size_t events_per_call() const;
    /// This rank's host has more ranks and threads than cores, or one of its ranks more threads than it may
    /// use, so waiting gives way to the kernel soon.
    [[nodiscard]] bool crowded() const;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace fathom::collectives
