#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <mpi.h>

#include "collectives/host_memory.hpp"
#include "collectives/layout.hpp"
#include "collectives/program.hpp"
#include "collectives/segments.hpp"
#include "collectives/shared_ring.hpp"
#include "collectives/thread_leaf.hpp"
#include "collectives/tracer.hpp"
#include "collectives/tree_collective.hpp"

/// Moves the segments of a call through the parts of this rank. Nothing blocks on its own: what cannot go on
/// is passed over, and only if nothing can, the rank waits for whatever comes first. So any tree works, and
/// arrivals are stamped when they happen, not when it is their turn.
namespace fathom::collectives {

enum class Way { allreduce, reduce, bcast };

/// What all segments of a call have in common.
struct Call {
    Way way = Way::allreduce;
    int root = 0;
    const std::byte* send = nullptr;  ///< this rank's contribution, laid out as the datatype says
    std::byte* base = nullptr;  ///< where the whole result goes, as packed bytes; null where none is wanted
    bool in_place = false;      ///< both are the same memory
    bool typed = false;         ///< elements have gaps: partial results are packed for the way
    Layout layout = {};
    MPI_Op op = MPI_OP_NULL;
    Segments cut = {};

    [[nodiscard]] int segments() const { return cut.count; }
    [[nodiscard]] std::size_t elements_in(int segment) const { return cut.elements_in(segment); }
    [[nodiscard]] std::size_t bytes_in(int segment) const { return cut.bytes_in(segment); }
    [[nodiscard]] std::byte* base_of(int segment) const { return base + cut.begin_of(segment); }
    [[nodiscard]] std::byte* contribution(int segment) const {
        const auto skipped = static_cast<std::ptrdiff_t>(cut.per_segment) * segment;
        return const_cast<std::byte*>(send) + skipped * layout.extent;  // written to only after it was copied
    }
};

class Engine {
  public:
    Engine(MPI_Comm communicator, const tree::Tree& tree, const TreeOptions& options);
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    ~Engine();

    /// Throws MpiFailure.
    void perform(const Call& call);
    [[nodiscard]] const SegmentLimits& limits() const { return limits_; }
    /// Memory of at least this size for packed data of a whole call; grows only if it has to.
    std::byte* staging(std::size_t bytes);

    void trace(EventRing* ring, TimeSource time, const TraceChoice& choice);
    [[nodiscard]] MPI_Comm messages() const { return messages_; }
    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] std::uint32_t calls() const { return calls_; }
    [[nodiscard]] std::size_t events_per_call() const { return stamps_.size(); }
    [[nodiscard]] bool crowded() const { return hosts_->crowded(); }
    /// Of this rank, from thread 1 on.
    [[nodiscard]] std::vector<ThreadLeaf>& threads() { return threads_; }

  private:
    using Pair = std::array<std::byte*, 2>;  // memory of even and odd segments
    using Memory =
        std::unique_ptr<std::byte[]>;  // NOLINT(modernize-avoid-c-arrays): a vector would be set to zero
    static Memory new_memory(std::size_t bytes);

    struct LinkState {
        Link plan;
        int request =
            -1;  // the first of four: receives of even and odd segments, sends of both; messages only
        int receive_tag = 0;
        int send_tag = 0;
        Pair buffer{};  // what comes down from a child in messages
        std::array<bool, 2> arrived{};
        std::array<int, 2> segment{};
        std::int64_t arrived_ns = 0;  // the last segment
        RingReader reader;            // of the other end's ring
        Bell* bell = nullptr;         // of the other end
        bool taken = false;           // the contribution to the current segment
    };

    /// Where the result of a part comes from in a call: a child's link, or one of these.
    enum Input { from_parent = -1, from_root_join = -2, from_own_leaf = -3 };
    /// Which children get it: one link, or one of these.
    enum Receivers { all_children = -1, no_child = -2 };

    struct PartState {
        Part plan;
        std::vector<LinkState> children;
        LinkState parent;
        RingWriter down_ring;
        std::vector<RingWriter> up_rings;     // of each join
        std::vector<std::uint32_t> up_begin;  // what was written to them before this call
        std::uint32_t down_begin = 0;
        std::vector<std::byte*> data;  // where each piece of the current segment is
        std::vector<Pair> own;         // memory of pieces that have to be in ours
        std::vector<Pair> typed;       // the same for elements with gaps
        std::vector<int> merge_waits;  // for this many of its two sides
        std::vector<int> runs_left;    // of each join
        Pair out{};                    // messages to the parent that have to be put together
        Pair place{};                  // results where the call has no memory for them

        int down_total = 0;  // segments to reduce
        int down = 0;        // segments that were handed on
        int down_posted = 0;
        int links_left = 0;
        bool opened = false;  // the current segment has begun
        bool joined = false;  // and is ready to be handed on
        int up_total = 0;     // segments of the result that pass here
        int up = 0;
        int up_posted = 0;
        bool arrived = false;  // the current segment is here and has to be handed on

        int input = from_parent;
        int only = all_children;
        int except = no_child;
        bool to_parent = false;
        std::vector<std::uint8_t> on_path;  // joins that data enter or leave by; for events
    };

    void make_parts();
    void make_memory(PartState& part);
    void make_rings(const tree::Tree& tree);
    std::vector<LeafEdge> make_thread_edges(const RingPlaces& places);
    [[nodiscard]] RingReader reader_of_result(const tree::Tree& tree, const RingPlaces& places,
                                              const Link& link) const;
    std::byte* allocate(std::size_t bytes);
    void make_typed_memory();

    /// The link that the result comes by; nullptr if it begins in this part.
    static LinkState* source_of(PartState& part) {
        return part.input == from_parent ? &part.parent
               : part.input >= 0         ? &part.children[static_cast<std::size_t>(part.input)]
                                         : nullptr;
    }
    static const LinkState* source_of(const PartState& part) {
        return source_of(const_cast<PartState&>(part));
    }

    void perform_parts();
    void begin(PartState& part);
    void begin_reduce(PartState& part) const;
    void begin_bcast(PartState& part) const;
    template <bool traced>
    void run();
    template <bool traced>
    bool advance_down(PartState& part);
    void post_from_children(PartState& part);
    template <bool traced>
    void open(PartState& part);
    template <bool traced>
    bool take_arrivals(PartState& part);
    template <bool traced>
    void take(PartState& part, LinkState& link);
    template <bool traced>
    void piece_ready(PartState& part, int piece, std::byte* where);
    template <bool traced>
    void join_ready(PartState& part, int join);
    template <bool traced>
    bool hand_down(PartState& part);
    template <bool traced>
    bool store(PartState& part);
    static void finish_down(PartState& part);
    void write_results(const PartState& part, std::byte* to) const;
    void write_result(const std::byte* result, std::size_t elements, std::byte* to) const;
    void copy_typed(const std::byte* from, std::byte* to, std::size_t elements) const;

    template <bool traced>
    bool advance_up(PartState& part);
    void post_from_above(PartState& part);
    template <bool traced>
    bool take_result(PartState& part);
    void stamp_entry(PartState& part, std::int64_t time);
    void mark_path(PartState& part) const;
    [[nodiscard]] bool is_last(int segment) const { return call_.cut.is_last(segment); }
    [[nodiscard]] bool stamps_up(const PartState& part, std::size_t join) const;
    [[nodiscard]] bool stamps_leaf_up(const PartState& part) const;
    [[nodiscard]] static int leaf_join(const PartState& part);
    [[nodiscard]] bool place_is_free(const PartState& part, int segment) const;
    [[nodiscard]] std::byte* place(const PartState& part, int segment) const;
    [[nodiscard]] static bool goes_to(const PartState& part, int link);
    [[nodiscard]] static bool goes_to_readers(const PartState& part, const OwnJoin& join);
    bool can_hand_up(PartState& part);
    template <bool traced>
    bool hand_up(PartState& part);
    void hand_to_parent(PartState& part);
    template <bool traced>
    void hand_to_children(PartState& part, std::size_t join);

    [[nodiscard]] bool sending(const LinkState& link, int segment) const;
    void receive(LinkState& link, int segment, std::byte* to, std::size_t bytes);
    void send(LinkState& link, int segment, const std::byte* from, std::size_t bytes);
    void completed(int index);
    void wait();
    void give_way();
    [[nodiscard]] std::optional<tree::EdgeKind> sleeping_kind() const;

    [[nodiscard]] tree::Event& stamp(int event) { return stamps_[static_cast<std::size_t>(event)]; }

    MPI_Comm messages_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 0;
    SegmentLimits limits_;
    std::int64_t simulated_edge_ns_ = 0;
    std::unique_ptr<HostMemory> hosts_;
    Bell* bell_ = nullptr;
    std::vector<Bell*> thread_bells_;
    bool has_shared_ = false;  // rings at this rank
    bool sleeps_ = false;      // and readers that sleep

    std::vector<PartState> parts_;
    std::vector<ThreadPlan> thread_plans_;
    std::vector<ThreadLeaf> threads_;
    std::atomic<bool> failed_{false};  // so that threads of this rank do not wait for it
    std::vector<MPI_Request> requests_;
    std::vector<LinkState*> links_;  // of every four requests
    int active_ = 0;                 // requests under way
    std::vector<Memory> memory_;
    Memory staging_;
    std::size_t staging_bytes_ = 0;
    Memory typed_memory_;
    std::size_t typed_span_ = 0;
    std::byte* convert_ = nullptr;  // a packed segment

    Call call_;
    std::uint32_t calls_ = 0;
    std::uint32_t seen_ = 0;  // rings of the bell before the last look around
    std::uint32_t idle_ = 0;  // looks around since something moved

    Tracer tracer_;
    bool tracing_ = false;  // this call
    std::vector<tree::Event> stamps_;
};

}  // namespace fathom::collectives
