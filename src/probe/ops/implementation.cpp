#include "probe/ops/implementation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <climits>
#include <fmt/format.h>

#include "base/error.hpp"
#include "collectives/event_ring.hpp"
#include "collectives/reference/reference_collective.hpp"
#include "collectives/thread_leaf.hpp"
#include "collectives/tree_collective.hpp"
#include "probe/clock/counter.hpp"
#include "probe/mpi/check.hpp"
#include "probe/mpi/flavour.hpp"
#include "probe/mpi/wtime_clock.hpp"
#include "probe/ops/memory.hpp"

namespace fathom::probe {
namespace {

std::int64_t read_clock(const void* clock) {
    return static_cast<const Clock*>(clock)->now().count;
}

bool has_shared_edge(const tree::Tree& whole) {
    const auto shared = [](const auto& node) { return node.edge != tree::EdgeKind::message; };
    return std::any_of(whole.leaves.begin(), whole.leaves.end(), shared) ||
           std::any_of(whole.joins.begin(), whole.joins.end(), shared);
}

/// One ring for each thread. They outlive what writes into them, and stay where they are.
class Rings {
  public:
    Rings(collectives::TreeCollective& collective, const OperationContext& context)
        : collective_(collective), settings_(context.trace), clock_(context.clock) {
        for (int thread = 0; settings_.every > 0 && thread < collective.threads(); ++thread) {
            rings_.push_back(
                std::make_unique<collectives::EventRing>(static_cast<std::size_t>(settings_.ring)));
        }
        begin();
    }

    void begin() {
        const auto* const rate = rings_.empty() ? nullptr : clock_->counter();
        const collectives::TimeSource time{.ticks = rate != nullptr, .read = read_clock, .state = clock_};
        const auto in_source = [&](Nanoseconds span) {
            constexpr double ns_per_s = 1e9;
            return rate == nullptr
                       ? span.count
                       : std::llround(static_cast<double>(span.count) / ns_per_s * rate->ticks_per_s());
        };
        const collectives::TraceChoice choice{.every = static_cast<std::uint32_t>(settings_.every),
                                              .from = in_source(settings_.from),
                                              .until = settings_.until
                                                           ? in_source(*settings_.until)
                                                           : std::numeric_limits<std::int64_t>::max()};
        for (std::size_t thread = 0; thread < rings_.size(); ++thread) {
            rings_[thread]->clear();
            if (thread == 0) {
                collective_.trace(rings_[thread].get(), time, choice);
            } else {
                collective_.thread(static_cast<int>(thread)).trace(rings_[thread].get(), time, choice);
            }
        }
    }

    /// What all threads have recorded, by call.
    Trace take() {
        Trace trace;
        for (auto& ring : rings_) {
            trace.events.reserve(trace.events.size() + ring->events().size());
            for (const auto& event : ring->events()) {
                trace.events.push_back({.call = event.call,
                                        .collector = static_cast<int>(event.collector),
                                        .down_ns = time_of(event.down_ns),
                                        .up_ns = time_of(event.up_ns)});
            }
            trace.dropped += static_cast<std::int64_t>(ring->dropped());
            ring->clear();
        }
        if (rings_.size() > 1) {
            std::ranges::stable_sort(trace.events, {}, &journal::CallEvent::call);
        }
        return trace;
    }

  private:
    /// What a stamp says by the clock.
    [[nodiscard]] std::int64_t time_of(std::int64_t stamp) const {
        const auto* const rate = clock_->counter();
        return rate == nullptr || stamp == tree::Event::never
                   ? stamp
                   : rate->nanoseconds(static_cast<std::uint64_t>(stamp)).count;
    }

    collectives::TreeCollective& collective_;
    plan::TraceSettings settings_;
    const Clock* clock_;
    std::vector<std::unique_ptr<collectives::EventRing>> rings_;
};

/// On any rank.
bool has_threads(const OperationContext& context) {
    return contributors_of(context).all > context.procs;
}

class OverTree : public Implementation {
  public:
    OverTree(const OperationContext& context, MPI_Comm communicator, Bytes largest, MPI_Datatype type)
        : collective_(communicator, *context.tree,
                      {.largest_bytes = static_cast<std::size_t>(largest.count),
                       .simulated_edge_ns = static_cast<double>(
                           context.settings.shared_edge_ns.value_or(plan::usual_shared_edge_ns))}),
          type_(has_threads(context) ? std::optional<collectives::ThreadType>(type) : std::nullopt),
          rings_(collective_, context),
          shares_memory_(has_shared_edge(*context.tree)) {}

    int barrier(int thread) override {
        return thread == 0 ? collective_.barrier() : collective_.thread(thread).barrier();
    }
    int bcast(int thread, void* buffer, int count, MPI_Datatype type, int root) override {
        return thread == 0 ? collective_.bcast(buffer, count, type, root)
                           : collective_.thread(thread).bcast(buffer, count, *type_, root);
    }
    int reduce(int thread, const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
               int root) override {
        return thread == 0 ? collective_.reduce(in, out, count, type, op, root)
                           : collective_.thread(thread).reduce(in, count, *type_, root);
    }
    int allreduce(int thread, const void* in, void* out, int count, MPI_Datatype type, MPI_Op op) override {
        return thread == 0 ? collective_.allreduce(in, out, count, type, op)
                           : collective_.thread(thread).allreduce(in, out, count, *type_);
    }

    [[nodiscard]] int threads() const override { return collective_.threads(); }
    [[nodiscard]] bool crowded() const override { return collective_.crowded(); }
    [[nodiscard]] std::int64_t calls() const override { return collective_.calls(); }
    [[nodiscard]] std::int64_t events_per_call() const override {
        return static_cast<std::int64_t>(collective_.events_per_call());
    }
    void begin_trace() override { rings_.begin(); }
    Trace take_trace() override { return rings_.take(); }

    [[nodiscard]] std::string remark() const override {
        if (mpi::simulated || !shares_memory_ || !collective_.crowded()) {
            return {};
        }
        return fmt::format(
            "a host has more ranks{} than cores, so ranks that wait in shared memory sleep in "
            "the kernel instead of spinning",
            collective_.threads() > 1 ? " and threads" : "");
    }

  private:
    collectives::TreeCollective collective_;
    std::optional<collectives::ThreadType> type_;  // where other threads use it
    Rings rings_;
    bool shares_memory_;
};

/// Throws Unavailable where threads of a rank cannot be traced by this clock.
void check_trace(const OperationContext& context) {
    if (has_threads(context) && context.trace.every > 0 &&
        dynamic_cast<const mpi::Wtime*>(context.clock) != nullptr) {
        throw Unavailable(
            "threads of a rank may not call MPI_Wtime, so their events need another clock (--clock)");
    }
}

class ByReference : public Implementation {
  public:
    ByReference(const plan::ReferenceAlgorithm& algorithm, MPI_Comm communicator, Bytes largest, int procs)
        : collective_(communicator, algorithm.operation, algorithm.name,
                      {.largest_bytes = static_cast<std::size_t>(largest.count)}),
          as_a_ring_(algorithm.name == "neighbor_exchange" && procs % 2 != 0) {}

    int barrier(int /*thread*/) override { return counted(collective_.barrier()); }
    int bcast(int /*thread*/, void* buffer, int count, MPI_Datatype type, int root) override {
        return counted(collective_.bcast(buffer, count, type, root));
    }
    int gather(int /*thread*/, const void* in, void* out, int count, MPI_Datatype type, int root) override {
        return counted(collective_.gather(in, count, type, out, count, type, root));
    }
    int scatter(int /*thread*/, const void* in, void* out, int count, MPI_Datatype type, int root) override {
        return counted(collective_.scatter(in, count, type, out, count, type, root));
    }
    int allgather(int /*thread*/, const void* in, void* out, int count, MPI_Datatype type) override {
        return counted(collective_.allgather(in, count, type, out, count, type));
    }
    int alltoall(int /*thread*/, const void* in, void* out, int count, MPI_Datatype type) override {
        return counted(collective_.alltoall(in, count, type, out, count, type));
    }
    int reduce(int /*thread*/, const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
               int root) override {
        return counted(collective_.reduce(in, out, count, type, op, root));
    }
    int allreduce(int /*thread*/, const void* in, void* out, int count, MPI_Datatype type,
                  MPI_Op op) override {
        return counted(collective_.allreduce(in, out, count, type, op));
    }
    int reduce_scatter(int /*thread*/, const void* in, void* out, const int* counts, MPI_Datatype type,
                       MPI_Op op) override {
        return counted(collective_.reduce_scatter(in, out, counts, type, op));
    }
    int reduce_scatter_block(int /*thread*/, const void* in, void* out, int count, MPI_Datatype type,
                             MPI_Op op) override {
        return counted(collective_.reduce_scatter_block(in, out, count, type, op));
    }

    // Not traced.
    [[nodiscard]] std::int64_t calls() const override { return calls_; }
    [[nodiscard]] std::int64_t events_per_call() const override { return 0; }
    void begin_trace() override {}
    Trace take_trace() override { return {}; }

    [[nodiscard]] int threads() const override { return 1; }
    [[nodiscard]] bool crowded() const override { return false; }

    [[nodiscard]] std::string remark() const override {
        return as_a_ring_ ? "neighbours cannot be paired, because the number of processes is odd: performed "
                            "as a ring"
                          : "";
    }

  private:
    int counted(int code) {
        ++calls_;
        return code;
    }

    collectives::ReferenceCollective collective_;
    bool as_a_ring_;
    std::int64_t calls_ = 0;
};

std::unique_ptr<Implementation> make_reference(const OperationContext& context, MPI_Comm communicator,
                                               Bytes largest, MPI_Op op) {
    const auto& algorithm = *context.reference;
    if (op != MPI_OP_NULL && algorithm.commutative) {
        int commutes = 0;
        FATHOM_MPI(MPI_Op_commutative, op, &commutes);
        if (commutes == 0) {
            throw Unavailable(fmt::format(
                "reference:{} does not keep the order of ranks, so the operation must be commutative",
                algorithm.name));
        }
    }
    if (op == MPI_OP_NULL && context.size.count > INT_MAX) {
        throw Unavailable("reference algorithms move blocks of less than 2 GiB, which MPI's counts express");
    }
    // Beside the inputs and outputs, which are at most as large.
    need_memory({static_cast<std::int64_t>(algorithm.buffers + 2) * largest.count}, context);
    return std::make_unique<ByReference>(algorithm, communicator, largest, context.procs);
}

}  // namespace

static_assert(journal::CallEvent::never == tree::Event::never);

Contributors contributors_of(const OperationContext& context) {
    Contributors found{.first = context.rank, .own = 1, .all = context.procs};
    if (context.tree == nullptr) {
        return found;
    }
    const auto& leaves = context.tree->leaves;
    const auto own = std::ranges::lower_bound(leaves, context.rank, {}, &tree::Leaf::rank);
    const auto next = std::ranges::upper_bound(leaves, context.rank, {}, &tree::Leaf::rank);
    found.first = static_cast<int>(own - leaves.begin());
    found.own = static_cast<int>(next - own);
    found.all = static_cast<int>(leaves.size());
    return found;
}

std::unique_ptr<LeafThreads> make_leaf_threads(const Implementation* own) {
    return own == nullptr ? std::make_unique<LeafThreads>(0, false)
                          : std::make_unique<LeafThreads>(own->threads() - 1, own->crowded());
}

std::unique_ptr<Implementation> make_implementation(const OperationContext& context, MPI_Comm communicator,
                                                    Bytes largest, MPI_Datatype type, MPI_Op op) {
    if (context.reference != nullptr) {
        return make_reference(context, communicator, largest, op);
    }
    if (context.tree == nullptr) {
        return nullptr;
    }
    check_trace(context);
    try {
        return std::make_unique<OverTree>(context, communicator, largest, type);
    } catch (const BadInput& error) {  // it does not fit these ranks or their hosts
        throw Unavailable(error.what());
    }
}

}  // namespace fathom::probe
