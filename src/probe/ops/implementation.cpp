#include "probe/ops/implementation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "collectives/event_ring.hpp"
#include "collectives/tree_collective.hpp"
#include "probe/clock/counter.hpp"
#include "probe/mpi/flavour.hpp"

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
          shares_memory_(has_shared_edge(*context.tree)),
          trace_(context.trace),
          clock_(context.clock) {
        if (context.trace.every > 0) {
            ring_.emplace(static_cast<std::size_t>(context.trace.ring));
            OverTree::begin_trace();
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
    void begin_trace() override {
        ring_->clear();
        const auto* const rate = clock_->counter();
        const auto in_source = [&](Nanoseconds time) {
            constexpr double ns_per_s = 1e9;
            return rate == nullptr
                       ? time.count
                       : std::llround(static_cast<double>(time.count) / ns_per_s * rate->ticks_per_s());
        };
        collective_.trace(
            &*ring_, {.ticks = rate != nullptr, .read = read_clock, .state = clock_},
            {.every = static_cast<std::uint32_t>(trace_.every),
             .from = in_source(trace_.from),
             .until = trace_.until ? in_source(*trace_.until) : std::numeric_limits<std::int64_t>::max()});
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
                                    .down_ns = time_of(event.down_ns),
                                    .up_ns = time_of(event.up_ns)});
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
    /// What a stamp says by the clock.
    [[nodiscard]] std::int64_t time_of(std::int64_t stamp) const {
        const auto* const rate = clock_->counter();
        return rate == nullptr || stamp == tree::Event::never
                   ? stamp
                   : rate->nanoseconds(static_cast<std::uint64_t>(stamp)).count;
    }

    std::optional<collectives::EventRing> ring_;  // outlives what writes into it
    collectives::TreeCollective collective_;
    bool shares_memory_;
    plan::TraceSettings trace_;
    const Clock* clock_;
};

}  // namespace

static_assert(journal::CallEvent::never == tree::Event::never);

std::unique_ptr<Implementation> make_implementation(const OperationContext& context, MPI_Comm communicator,
                                                    Bytes largest) {
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
