#include "probe/ops/implementation.hpp"

#include <algorithm>
#include <optional>

#include <climits>
#include <fmt/format.h>

#include "base/error.hpp"
#include "collectives/event_ring.hpp"
#include "collectives/reference/reference_collective.hpp"
#include "collectives/tree_collective.hpp"
#include "probe/mpi/check.hpp"
#include "probe/mpi/flavour.hpp"
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

class OverTree : public Implementation {
  public:
    OverTree(const OperationContext& context, MPI_Comm communicator, Bytes largest)
        : collective_(communicator, *context.tree,
                      {.largest_bytes = static_cast<std::size_t>(largest.count),
                       .simulated_edge_ns = static_cast<double>(
                           context.settings.shared_edge_ns.value_or(plan::usual_shared_edge_ns))}),
          shares_memory_(has_shared_edge(*context.tree)) {
        if (context.trace.every > 0) {
            ring_.emplace(static_cast<std::size_t>(context.trace.ring));
            collective_.trace(&*ring_, {.read = read_clock, .state = context.clock},
                              static_cast<std::uint32_t>(context.trace.every));
        }
    }

    int barrier() override { return collective_.barrier(); }
    int bcast(void* buffer, int count, MPI_Datatype type, int root) override {
        return collective_.bcast(buffer, count, type, root);
    }
    int reduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root) override {
        return collective_.reduce(in, out, count, type, op, root);
    }
    int allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op) override {
        return collective_.allreduce(in, out, count, type, op);
    }

    [[nodiscard]] std::int64_t calls() const override { return collective_.calls(); }
    [[nodiscard]] std::int64_t events_per_call() const override {
        return static_cast<std::int64_t>(collective_.events_per_call());
    }
    Trace take_trace() override {
        Trace trace;
        if (!ring_) {
            return trace;
        }
        const auto events = ring_->events();
        trace.events.reserve(events.size());
        for (const auto& event : events) {
            trace.events.push_back({.call = event.call,
                                    .collector = static_cast<int>(event.collector),
                                    .down_ns = event.down_ns,
                                    .up_ns = event.up_ns});
        }
        trace.dropped = static_cast<std::int64_t>(ring_->dropped());
        ring_->clear();
        return trace;
    }

    [[nodiscard]] std::string remark() const override {
        return !mpi::simulated && shares_memory_ && collective_.crowded()
                   ? "a host has more ranks than cores, so ranks that wait in shared memory sleep in the "
                     "kernel "
                     "instead of spinning"
                   : "";
    }

  private:
    std::optional<collectives::EventRing> ring_;  // outlives what writes into it
    collectives::TreeCollective collective_;
    bool shares_memory_;
};

class ByReference : public Implementation {
  public:
    ByReference(const plan::ReferenceAlgorithm& algorithm, MPI_Comm communicator, Bytes largest, int procs)
        : collective_(communicator, algorithm.operation, algorithm.name,
                      {.largest_bytes = static_cast<std::size_t>(largest.count)}),
          as_a_ring_(algorithm.name == "neighbor_exchange" && procs % 2 != 0) {}

    int barrier() override { return counted(collective_.barrier()); }
    int bcast(void* buffer, int count, MPI_Datatype type, int root) override {
        return counted(collective_.bcast(buffer, count, type, root));
    }
    int gather(const void* in, void* out, int count, MPI_Datatype type, int root) override {
        return counted(collective_.gather(in, count, type, out, count, type, root));
    }
    int scatter(const void* in, void* out, int count, MPI_Datatype type, int root) override {
        return counted(collective_.scatter(in, count, type, out, count, type, root));
    }
    int allgather(const void* in, void* out, int count, MPI_Datatype type) override {
        return counted(collective_.allgather(in, count, type, out, count, type));
    }
    int alltoall(const void* in, void* out, int count, MPI_Datatype type) override {
        return counted(collective_.alltoall(in, count, type, out, count, type));
    }
    int reduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root) override {
        return counted(collective_.reduce(in, out, count, type, op, root));
    }
    int allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op) override {
        return counted(collective_.allreduce(in, out, count, type, op));
    }
    int reduce_scatter(const void* in, void* out, const int* counts, MPI_Datatype type, MPI_Op op) override {
        return counted(collective_.reduce_scatter(in, out, counts, type, op));
    }
    int reduce_scatter_block(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op) override {
        return counted(collective_.reduce_scatter_block(in, out, count, type, op));
    }

    // Not traced.
    [[nodiscard]] std::int64_t calls() const override { return calls_; }
    [[nodiscard]] std::int64_t events_per_call() const override { return 0; }
    Trace take_trace() override { return {}; }

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

std::unique_ptr<Implementation> make_implementation(const OperationContext& context, MPI_Comm communicator,
                                                    Bytes largest, MPI_Op op) {
    if (context.reference != nullptr) {
        return make_reference(context, communicator, largest, op);
    }
    if (context.tree == nullptr) {
        return nullptr;
    }
    try {
        return std::make_unique<OverTree>(context, communicator, largest);
    } catch (const BadInput& error) {  // it does not fit these ranks or their hosts
        throw Unavailable(error.what());
    }
}

}  // namespace fathom::probe
