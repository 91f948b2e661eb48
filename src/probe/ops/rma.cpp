#include "probe/ops/rma.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <string>

#include <fmt/format.h>

#include "probe/mpi/check.hpp"
#include "probe/mpi/flavour.hpp"

namespace fathom::probe {
namespace {

constexpr auto kinds = std::to_array<WindowKind>({
    {plan::WindowMemory::allocate, false, false,
     [](void* /*memory*/, MPI_Aint bytes, MPI_Comm communicator, void** base, MPI_Win* window) {
         return MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, communicator, static_cast<void*>(base), window);
     }},
    {plan::WindowMemory::create, true, false,
     [](void* memory, MPI_Aint bytes, MPI_Comm communicator, void** base, MPI_Win* window) {
         *base = memory;
         return MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, communicator, window);
     }},
    {plan::WindowMemory::shared, false, true,
     [](void* /*memory*/, MPI_Aint bytes, MPI_Comm communicator, void** base, MPI_Win* window) {
         return MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, communicator, static_cast<void*>(base),
                                        window);
     }},
});

/// Distributions switch off components of Open MPI: Debian's leave no window between hosts without RDMA.
#ifdef OPEN_MPI
constexpr const char* remedy = " (OMPI_MCA_osc=sm,pt2pt in the environment may allow it)";
#else
constexpr const char* remedy = "";
#endif

int size_of(MPI_Comm communicator) {
    int size = 0;
    FATHOM_MPI(MPI_Comm_size, communicator, &size);
    return size;
}

}  // namespace

bool others_are_there() {
    return std::uncaught_exceptions() == 0;
}

const WindowKind& window_kind(plan::WindowMemory memory) {
    return *std::ranges::find(kinds, memory, &WindowKind::memory);
}

bool on_one_host(MPI_Comm communicator) {
    MPI_Comm here = MPI_COMM_NULL;
    FATHOM_MPI(MPI_Comm_split_type, communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    const int ranks_here = size_of(here);
    FATHOM_MPI(MPI_Comm_free, &here);
    return ranks_here == size_of(communicator);
}

void require_window_kind(const WindowKind& kind, MPI_Comm communicator) {
    if (!kind.within_host) {
        return;
    }
    if (!on_one_host(communicator)) {
        throw Unavailable("the ranks are not all on one host, so they cannot share memory");
    }
    if (mpi::simulated && size_of(communicator) > 1) {
        throw Unavailable("SimGrid uses the first rank's part of a shared window for all ranks");
    }
}

NewWindow make_window(const WindowKind& kind, void* memory, Bytes bytes, MPI_Comm communicator) {
    NewWindow made;
    void* base = nullptr;
    std::string error;
    try {
        mpi::check(kind.make(memory, bytes.count, communicator, &base, &made.handle),
                   "the creation of a window");
    } catch (const mpi::MpiError& failure) {
        error = failure.what();
    }
    const int failed_here = error.empty() ? 0 : 1;
    int failed = 0;
    FATHOM_MPI(MPI_Allreduce, &failed_here, &failed, 1, MPI_INT, MPI_MAX, communicator);
    if (failed != 0) {
        throw Unavailable((error.empty() ? "the creation of a window failed on another rank" : error) +
                          remedy);
    }
    FATHOM_MPI(MPI_Win_set_errhandler, made.handle, MPI_ERRORS_RETURN);
    made.base = static_cast<std::byte*>(base);
    return made;
}

void require_on_all_ranks(MPI_Comm communicator, Bytes needed, Bytes available) {
    std::int64_t least = 0;
    FATHOM_MPI(MPI_Allreduce, &available.count, &least, 1, MPI_INT64_T, MPI_MIN, communicator);
    if (needed.count > least) {
        throw Unavailable(fmt::format("needs {} of memory on every rank, and {} are free for one",
                                      to_text(needed), to_text(Bytes{least})));
    }
}

WindowSlices::WindowSlices(Bytes message, Bytes region)
    : size(static_cast<std::size_t>(message.count)),
      stride((size / Buffer::slice_step + 1) * Buffer::slice_step),
      count(region.count == 0 ? 1 : static_cast<std::size_t>(region.count) / stride + 2) {}

RmaWindow::RmaWindow(MPI_Comm communicator, const WindowKind& kind, const WindowSlices& slices, Buffer memory)
    : slices_(slices),
      memory_(std::move(memory)),
      window_(make_window(kind, memory_.data(), slices.total(), communicator)) {}

RmaWindow::~RmaWindow() {
    if (others_are_there()) {
        MPI_Win_free(&window_.handle);
    }
}

bool RmaWindow::next() {
    slice_ = slice_ + 1 == slices_.count ? 0 : slice_ + 1;
    return slice_ == 0;
}

}  // namespace fathom::probe
