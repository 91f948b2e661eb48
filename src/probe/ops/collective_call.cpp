#include <algorithm>
#include <array>
#include <utility>

#include <climits>
#include <fmt/format.h>

#include "probe/mpi/check.hpp"
#include "probe/ops/collective.hpp"
#include "probe/ops/memory.hpp"

namespace fathom::probe::collective {
namespace {

/// Of any rank that contribute.
int most_threads(const OperationContext& context) {
    int most = 1;
    for (std::size_t i = 0; context.tree != nullptr && i < context.tree->leaves.size(); ++i) {
        most = std::max(most, context.tree->leaves[i].thread + 1);
    }
    return most;
}

/// Checked before anything is allocated or requested from the library; the same on all ranks with equal
/// memory.
const OperationContext& possible(const OperationContext& context, const Call& call, const Layout& layout) {
    const auto of_thread = memory_of(layout.most_in * layout.element_bytes, context).count +
                           memory_of(layout.most_out * layout.element_bytes, context).count;
    need_memory({of_thread * most_threads(context)}, context);
    if (call.by_counts() && std::max(layout.most_in, layout.most_out) > INT_MAX) {
        throw Unavailable(
            fmt::format("{} processes and blocks for a size of {} exceed MPI's 32-bit displacements",
                        context.procs, to_text(context.size)));
    }
    if (call.form() != Form::persistent) {
        return context;
    }
    if (call.row.init == nullptr) {
        throw Unavailable("this library has no persistent collectives (MPI 4.0)");
    }
    if (context.region.count > 0 || context.rotate_root) {
        throw Unavailable("a persistent call is bound to its buffers and its root");
    }
    return context;
}

}  // namespace

Grid::Grid(MPI_Comm communicator, int procs) {
    constexpr int dimensions = neighbours / 2;
    std::array<int, dimensions> sides{};
    const std::array<int, dimensions> periodic{1, 1};
    FATHOM_MPI(MPI_Dims_create, procs, dimensions, sides.data());
    FATHOM_MPI(MPI_Cart_create, communicator, dimensions, sides.data(), periodic.data(), 0, &communicator_);
    for (int dimension = 0; dimension < dimensions; ++dimension) {
        const auto below = 2 * static_cast<std::size_t>(dimension);
        FATHOM_MPI(MPI_Cart_shift, communicator_, dimension, 1, &ranks_[below], &ranks_[below + 1]);
    }
}

Grid::~Grid() {
    MPI_Comm_free(&communicator_);
}

Collective::Collective(const OperationContext& context, Call call, Layout layout, const Elements& elements)
    : context_(possible(context, call, layout)),
      row_(call.row),
      form_(call.form()),
      layout_(std::move(layout)),
      elements_(elements),
      grid_(call.info.is(plan::Fact::with_neighbours)
                ? std::make_unique<Grid>(context.communicator, context.procs)
                : nullptr),
      own_(make_implementation(
          context, context.communicator,
          Bytes{std::max(layout_.in.total(), layout_.out.total()) * layout_.element_bytes}, elements.type,
          elements.op)),
      contributors_(contributors_of(context)),
      inputs_(make_buffers(layout_.in)),
      outputs_(make_buffers(layout_.out)),
      threads_(make_leaf_threads(own_.get())) {
    if (call.by_counts()) {
        in_counts_ = layout_.in.counts();
        in_places_ = layout_.in.places();
        out_counts_ = layout_.out.counts();
        out_places_ = layout_.out.places();
        types_.assign(static_cast<std::size_t>(context.procs), elements.type);
    }
    arguments_ = arguments(0, root_);
}

Collective::~Collective() {
    if (form_ == Form::persistent && request_ != MPI_REQUEST_NULL) {
        MPI_Request_free(&request_);
    }
}

void Collective::bind() {
    if (form_ == Form::persistent) {
        mpi::check(row_.init(arguments_, &request_), "the init of the persistent collective");
    }
}

std::vector<Buffer> Collective::make_buffers(const Cut& cut) const {
    std::vector<Buffer> buffers;
    for (int thread = 0; thread < contributors_.own; ++thread) {
        buffers.emplace_back(Bytes{cut.total() * layout_.element_bytes}, context_.region);
    }
    return buffers;
}

void Collective::call() {
    if (contributors_.own > 1) {
        calls(1, 0);
        return;
    }
    if (form_ == Form::blocking) {
        mpi::check(own_ ? row_.call_own(arguments_, *own_) : row_.call(arguments_), "the collective call");
        return;
    }
    post();
    wait();
}

/// Whether a call has the same arguments as the one before.
bool Collective::stays() const {
    const auto once = [](const Buffer& buffer) { return buffer.slices() == 1; };
    return !context_.rotate_root && std::ranges::all_of(inputs_, once) && std::ranges::all_of(outputs_, once);
}

/// All threads of this rank begin with the first call and end with the last, but do not wait for each other
/// in between.
void Collective::calls(std::int64_t count, std::int64_t rep) {
    if (contributors_.own == 1) {
        if (form_ != Form::blocking || own_ || !stays()) {
            Operation::calls(count, rep);
            return;
        }
        // As in a plain program, with nothing between the calls: some take 100 ns.
        auto* const call_library = row_.call;
        for (std::int64_t i = 0; i < count; ++i) {
            mpi::check(call_library(arguments_), "the collective call");
        }
        return;
    }
    threads_->perform([&](int thread) { calls_of(thread, count); });
    for (std::int64_t i = 1; i < count; ++i) {
        root_ = root_after(root_);
    }
}

void Collective::calls_of(int thread, std::int64_t count) {
    const auto own = static_cast<std::size_t>(thread);
    int root = root_;
    for (std::int64_t i = 0; i < count; ++i) {
        if (i > 0) {
            inputs_[own].next();
            outputs_[own].next();
            root = root_after(root);
        }
        mpi::check(row_.call_own(arguments(thread, root), *own_), "the collective call");
    }
}

int Collective::root_after(int root) const {
    return !context_.rotate_root ? root : root + 1 == context_.procs ? 0 : root + 1;
}

void Collective::post() {
    if (form_ == Form::persistent) {
        FATHOM_MPI(MPI_Start, &request_);
    } else {
        mpi::check(row_.start(arguments_, &request_), "the start of the collective call");
    }
}

bool Collective::test() {
    int done = 0;
    FATHOM_MPI(MPI_Test, &request_, &done, MPI_STATUS_IGNORE);
    return done != 0;
}

void Collective::wait() {
    FATHOM_MPI(MPI_Wait, &request_, MPI_STATUS_IGNORE);
}

void Collective::next(std::int64_t /*rep*/) {
    for (std::size_t thread = 0; thread < inputs_.size(); ++thread) {
        inputs_[thread].next();
        outputs_[thread].next();
    }
    root_ = root_after(root_);
    arguments_ = arguments(0, root_);
    threads_->alert();
}

std::span<std::byte> Collective::received() {
    int thread = contributors_.own - 1;
    while (thread > 0 && !gets_something(thread)) {
        --thread;
    }
    const bool already_there = row_.in.who == Who::nobody && is_root(thread);
    return gets_something(thread) && !already_there ? output_of(thread) : std::span<std::byte>();
}

Traced* Collective::traced() {
    return context_.trace.every > 0 && own_ && own_->events_per_call() > 0 ? own_.get() : nullptr;
}

Arguments Collective::arguments(int thread, int root) const {
    return {.in = at(inputs_, thread).data(),
            .out = at(outputs_, thread).data(),
            .count = elements_.count,
            .type = elements_.type,
            .op = elements_.op,
            .root = root,
            .communicator = grid_ ? grid_->communicator() : context_.communicator,
            .in_counts = in_counts_.data(),
            .in_places = in_places_.data(),
            .out_counts = out_counts_.data(),
            .out_places = out_places_.data(),
            .types = types_.data(),
            .thread = thread};
}

}  // namespace fathom::probe::collective
