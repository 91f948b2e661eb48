#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <mpi.h>

#include "base/units.hpp"
#include "probe/interfaces/operation.hpp"
#include "probe/ops/buffer.hpp"
#include "probe/ops/registry.hpp"

/// What one-sided operations are made of: windows, and the calls that open and close their epochs.
namespace fathom::probe {

/// A way to make a window.
struct WindowKind {
    plan::WindowMemory memory = plan::WindowMemory::allocate;
    bool over_buffer = false;  ///< over memory that we bring along
    bool within_host = false;  ///< all ranks have to be on one
    /// Makes a window of `bytes` with displacements in bytes; `base` is where this rank's memory is.
    int (*make)(void* memory, MPI_Aint bytes, MPI_Comm communicator, void** base, MPI_Win* window) = nullptr;
};

const WindowKind& window_kind(plan::WindowMemory memory);

/// Whether all ranks can share memory. Collective.
bool on_one_host(MPI_Comm communicator);

/// Throws Unavailable, on all ranks, if windows of this kind cannot be created between them. Collective.
void require_window_kind(const WindowKind& kind, MPI_Comm communicator);

struct NewWindow {
    MPI_Win handle = MPI_WIN_NULL;
    std::byte* base = nullptr;  ///< this rank's memory
};

/// A window of this many bytes on every rank, over `memory` if it is of that kind. Collective; throws
/// Unavailable on all ranks if the library cannot make it.
NewWindow make_window(const WindowKind& kind, void* memory, Bytes bytes, MPI_Comm communicator);

/// Whether the other ranks take part in a collective cleanup: a rank that leaves because of an error skips
/// it, since it would wait for the others, and nobody would see the error.
bool others_are_there();

/// Throws Unavailable on all ranks if one has less `available` than is needed. Collective.
void require_on_all_ranks(MPI_Comm communicator, Bytes needed, Bytes available);

/// Memory that `take` gets on every rank or on none: a rank that gave up alone would leave the others waiting
/// for it in the creation of a window. Collective; throws Unavailable on all ranks.
template <typename Take>
auto take_on_all_ranks(const OperationContext& context, Bytes needed, Take take) {
    std::optional<decltype(take())> taken;
    auto available = context.memory;
    try {
        if (needed <= available) {
            taken.emplace(take());
        }
    } catch (const std::bad_alloc&) {
        available = {0};
    }
    require_on_all_ranks(context.communicator, needed, available);
    return std::move(*taken);
}

/// How a window's memory is divided, as a Buffer is: with a region every repetition takes another slice.
struct WindowSlices {
    WindowSlices(Bytes message, Bytes region);
    [[nodiscard]] Bytes total() const { return {static_cast<std::int64_t>(count * stride)}; }

    std::size_t size;
    std::size_t stride;
    std::size_t count;
};

/// A window with memory for one message on every rank, or slices of it. Making and ending it are collective.
class RmaWindow {
  public:
    /// `memory` is for windows over a buffer: slices.total() of it.
    RmaWindow(MPI_Comm communicator, const WindowKind& kind, const WindowSlices& slices, Buffer memory);
    RmaWindow(const RmaWindow&) = delete;
    RmaWindow& operator=(const RmaWindow&) = delete;
    ~RmaWindow();

    /// Moves to the next slice; true if that is the first one again.
    bool next();

    [[nodiscard]] MPI_Win handle() const { return window_.handle; }
    /// Where the slice begins, for calls of other ranks.
    [[nodiscard]] MPI_Aint place() const { return static_cast<MPI_Aint>(slice_ * slices_.stride); }
    /// The slice in this rank's own memory.
    [[nodiscard]] std::span<std::byte> bytes() const { return {window_.base + place(), slices_.size}; }

  private:
    WindowSlices slices_;
    Buffer memory_;
    NewWindow window_;
    std::size_t slice_ = 0;
};

/// What a one-sided call may hand to MPI.
struct OneSidedArguments {
    const void* given = nullptr;
    void* compared = nullptr;  ///< not const in SimGrid
    void* result = nullptr;
    int count = 0;
    MPI_Datatype type = MPI_BYTE;
    MPI_Aint place = 0;
    MPI_Win window = MPI_WIN_NULL;
};

/// The operations that make a window and end it; nothing for another call.
std::unique_ptr<Operation> make_window_making(const plan::OperationInfo& info,
                                              const OperationContext& context);

}  // namespace fathom::probe
