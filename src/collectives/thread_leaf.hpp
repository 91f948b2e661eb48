#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <mpi.h>

#include "collectives/element_map.hpp"
#include "collectives/leaf_path.hpp"
#include "collectives/segments.hpp"
#include "collectives/shared_ring.hpp"

namespace fathom::collectives {

/// A datatype as threads see it that may not call MPI. Made by the thread that may, before others use it;
/// they may share it.
class ThreadType {
  public:
    /// Throws Unavailable if an element is larger than 1 MiB or spans more than 64 MiB, NotMeasured if MPI
    /// fails or the type has no copies in a row (a negative extent).
    explicit ThreadType(MPI_Datatype datatype);

    [[nodiscard]] std::size_t bytes() const { return map_.bytes; }
    /// Elements are their data and nothing else.
    [[nodiscard]] bool dense() const { return dense_; }
    [[nodiscard]] const ElementMap& map() const { return map_; }

  private:
    ElementMap map_;
    bool dense_ = false;
};

/// The leaf of a thread that is not the first of its rank: takes part in the calls of a TreeCollective, which
/// made it, and in the same order. Used by one thread, which need not be the same all the time, while the
/// rank's first thread makes the same call. Calls no MPI, so that MPI_THREAD_FUNNELED suffices.
class alignas(line_bytes) ThreadLeaf {
  public:
    ThreadLeaf(const LeafEdge& edge, std::vector<std::uint8_t> beside, SegmentLimits limits)
        : path_(edge), beside_(std::move(beside)), limits_(limits) {}

    // As the calls of TreeCollective, for the contribution of this thread; which operation joins them, the
    // others know. `root` is a rank: its first thread gets the result of a reduce and has the data of a
    // bcast. MPI_IN_PLACE is accepted. MPI_ERR_OTHER: the rank's first thread failed in this call, and the
    // tree is of no use any more.
    int allreduce(const void* send, void* receive, int count, const ThreadType& type);
    int reduce(const void* send, int count, const ThreadType& type, int root);
    int bcast(void* buffer, int count, const ThreadType& type, int root);
    int barrier();

    /// As TreeCollective::trace, into a ring of this thread. Time is read by this thread.
    void trace(EventRing* ring, TimeSource time, const TraceChoice& choice = {}) {
        path_.trace(ring, time, choice);
    }
    [[nodiscard]] std::uint32_t calls() const { return path_.calls(); }

  private:
    LeafPath path_;
    std::vector<std::uint8_t> beside_;  // as ThreadPlan::beside
    SegmentLimits limits_;
};

}  // namespace fathom::collectives
