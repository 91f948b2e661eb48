#include "probe/ops/implementation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "collectives/event_ring.hpp"
#include "collectives/thread_leaf.hpp"
#include "collectives/tree_collective.hpp"
#include "probe/clock/counter.hpp"
#include "probe/mpi/flavour.hpp"
#include "probe/mpi/wtime_clock.hpp"

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

}  // namespace

static_assert(journal::CallEvent::never == tree::Event::never);

Contributors contributors_of(const OperationContext& context) {
    Contributors found{.first = context.rank, .own = 1, .all = context.procs};
    if (context.tree == nullptr) {
        return found;
    }
    const auto& leaves = context.tree->leaves;
    const auto own = std::ranges::equal_range(leaves, context.rank, {}, &tree::Leaf::rank);
    found.first = static_cast<int>(own.begin() - leaves.begin());
    found.own = static_cast<int>(own.size());
    found.all = static_cast<int>(leaves.size());
    return found;
}

std::unique_ptr<LeafThreads> make_leaf_threads(const Implementation* own) {
    return own == nullptr ? std::make_unique<LeafThreads>(0, false)
                          : std::make_unique<LeafThreads>(own->threads() - 1, own->crowded());
}

std::unique_ptr<Implementation> make_implementation(const OperationContext& context, MPI_Comm communicator,
                                                    Bytes largest, MPI_Datatype type) {
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
