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

/// Checked before anything is allocated or requested from the library; the same on all ranks with equal
/// memory.
const OperationContext& possible(const OperationContext& context, const Call& call, const Layout& layout) {
    need_memory({memory_of(layout.most_in * layout.element_bytes, context).count +
                 memory_of(layout.most_out * layout.element_bytes, context).count},
                context);
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
          Bytes{std::max(layout_.in.total(), layout_.out.total()) * layout_.element_bytes}, elements.op)),
      input_(Bytes{layout_.in.total() * layout_.element_bytes}, context.region),
      output_(Bytes{layout_.out.total() * layout_.element_bytes}, context.region) {
    if (call.by_counts()) {
        in_counts_ = layout_.in.counts();
        in_places_ = layout_.in.places();
        out_counts_ = layout_.out.counts();
        out_places_ = layout_.out.places();
        types_.assign(static_cast<std::size_t>(context.procs), elements.type);
    }
}

Collective::~Collective() {
    if (form_ == Form::persistent && request_ != MPI_REQUEST_NULL) {
        MPI_Request_free(&request_);
    }
}

void Collective::bind() {
    if (form_ == Form::persistent) {
        mpi::check(row_.init(arguments(), &request_), "the init of the persistent collective");
    }
}

void Collective::call() {
    if (form_ == Form::blocking) {
        mpi::check(own_ ? row_.call_own(arguments(), *own_) : row_.call(arguments()), "the collective call");
        return;
    }
    post();
    wait();
}

void Collective::post() {
    if (form_ == Form::persistent) {
        FATHOM_MPI(MPI_Start, &request_);
    } else {
        mpi::check(row_.start(arguments(), &request_), "the start of the collective call");
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
    input_.next();
    output_.next();
    if (context_.rotate_root) {
        root_ = root_ + 1 == context_.procs ? 0 : root_ + 1;
    }
}

std::span<std::byte> Collective::received() {
    const bool already_there = row_.in.who == Who::nobody && context_.rank == root_;
    return gets_something() && !already_there ? output() : std::span<std::byte>();
}

Traced* Collective::traced() {
    return context_.trace.every > 0 ? own_.get() : nullptr;
}

Arguments Collective::arguments() const {
    return {.in = input_.data(),
            .out = output_.data(),
            .count = elements_.count,
            .type = elements_.type,
            .op = elements_.op,
            .root = root_,
            .communicator = grid_ ? grid_->communicator() : context_.communicator,
            .in_counts = in_counts_.data(),
            .in_places = in_places_.data(),
            .out_counts = out_counts_.data(),
            .out_places = out_places_.data(),
            .types = types_.data()};
}

}  // namespace fathom::probe::collective
