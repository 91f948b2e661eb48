#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "collectives/element_map.hpp"
#include "collectives/segments.hpp"
#include "collectives/shared_ring.hpp"
#include "collectives/tracer.hpp"
#include "tree/tree.hpp"

namespace fathom::collectives {

/// The edge of a leaf to its join through shared memory, at the leaf's end.
struct LeafEdge {
    RingWriter down;
    RingReader up;
    Bell* bell = nullptr;         ///< of the thread that performs the leaf
    Bell* parent_bell = nullptr;  ///< of the one that performs the join
    tree::EdgeKind kind = tree::EdgeKind::flag;
    std::uint32_t collector = 0;  ///< at this end
    bool crowded = false;         ///< more threads than cores
    /// Set when the thread that performs the rank's joins had to give up; null: it never does.
    const std::atomic<bool>* failed = nullptr;
};

/// What a leaf does in one call.
struct LeafCall {
    const std::byte* send = nullptr;  ///< null: it contributes nothing
    std::byte* receive = nullptr;     ///< null: it gets nothing
    const ElementMap* map = nullptr;  ///< of both; null: they are packed already
    Segments segments = {};
    bool down = false;          ///< the operation has a way down from here
    bool up = false;            ///< and one up to here
    std::uint32_t skipped = 0;  ///< segments of the result that are for other readers
};

/// Performs a leaf by a thread that has nothing else to do: puts its contributions into a ring and takes
/// results from another. Calls no MPI.
class LeafPath {
  public:
    explicit LeafPath(const LeafEdge& edge) : edge_(edge) {}

    /// Whether the call was performed: not if the rank's first thread failed.
    bool perform(const LeafCall& call);

    /// As TreeCollective::trace.
    void trace(EventRing* ring, TimeSource time, const TraceChoice& choice) {
        tracer_ = Tracer(ring, time, choice);
    }
    [[nodiscard]] std::uint32_t calls() const { return calls_; }

  private:
    bool hand_down(const LeafCall& call);
    bool take_result(const LeafCall& call);
    bool give_way(bool may_sleep);

    LeafEdge edge_;
    std::uint32_t calls_ = 0;
    int down_ = 0;  // segments that were handed down, and those that came up
    int up_ = 0;
    std::uint32_t down_begin_ = 0;  // what was written before this call
    std::uint32_t seen_ = 0;        // rings of the bell before the last look
    std::uint32_t idle_ = 0;        // looks since something moved

    Tracer tracer_;
    bool tracing_ = false;  // this call
    tree::Event stamp_;
};

}  // namespace fathom::collectives
