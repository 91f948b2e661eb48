// Windows that are created and freed within the timed part.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "probe/mpi/byte_message.hpp"
#include "probe/mpi/check.hpp"
#include "probe/ops/buffer.hpp"
#include "probe/ops/data.hpp"
#include "probe/ops/registry.hpp"
#include "probe/ops/rma.hpp"

namespace fathom::probe {
namespace {

struct WindowCall {
    std::string_view name;
    plan::WindowMemory memory;
};

constexpr auto window_calls = std::to_array<WindowCall>({
    {"win_create", plan::WindowMemory::create},
    {"win_allocate", plan::WindowMemory::allocate},
    {"win_allocate_shared", plan::WindowMemory::shared},
});

struct WindowBuffers {
    Buffer exposed;
    Buffer fetched;
};

/// In the call after prepare_check() the window is used once: every rank stores a pattern in its memory and
/// gets that of the next rank. Timed calls only make the window and end it.
class WindowMaking : public Operation {
  public:
    WindowMaking(const OperationContext& context, const WindowKind& kind)
        : context_(context), kind_(kind), message_(context.size), buffers_(taken(context, kind)) {
        auto trial = make_window(kind, buffers_.exposed.data(), context.size, context.communicator);
        FATHOM_MPI(MPI_Win_free, &trial.handle);
    }

    void call() override {
        void* base = nullptr;
        MPI_Win window = MPI_WIN_NULL;
        mpi::check(
            kind_.make(buffers_.exposed.data(), context_.size.count, context_.communicator, &base, &window),
            "the creation of a window");
        if (checked_) {
            FATHOM_MPI(MPI_Win_set_errhandler, window, MPI_ERRORS_RETURN);
            checked_ = false;
            wrong_ = wrong_attributes(window, base);
            use(window, static_cast<std::byte*>(base));
        }
        FATHOM_MPI(MPI_Win_free, &window);
    }

    void next(std::int64_t /*rep*/) override { buffers_.exposed.next(); }

    void prepare_check() override {
        checked_ = true;
        wrong_.clear();
        fill_wrong(buffers_.fetched.bytes(), stream_of(neighbour()));
    }

    [[nodiscard]] std::string check() const override {
        return wrong_.empty() ? compare_pattern(buffers_.fetched.bytes(), stream_of(neighbour())) : wrong_;
    }

    [[nodiscard]] std::span<std::byte> received() override { return buffers_.fetched.bytes(); }

  private:
    static WindowBuffers taken(const OperationContext& context, const WindowKind& kind) {
        if (context.region.count > 0 && !kind.over_buffer) {
            throw Unavailable("the call allocates new memory every time, so a cache setting has no effect");
        }
        require_window_kind(kind, context.communicator);
        const Bytes needed{WindowSlices(context.size, context.region).total().count + context.size.count};
        return take_on_all_ranks(context, needed, [&] {
            return WindowBuffers{
                .exposed = Buffer(kind.over_buffer ? context.size : Bytes{0}, context.region),
                .fetched = Buffer(context.size)};
        });
    }

    [[nodiscard]] int neighbour() const { return (context_.rank + 1) % context_.procs; }
    [[nodiscard]] std::uint64_t stream_of(int rank) const {
        return splitmix64(context_.seed, static_cast<std::uint64_t>(rank));
    }

    [[nodiscard]] std::string wrong_attributes(MPI_Win window, const void* base) const {
        void* value = nullptr;
        int there = 0;
        FATHOM_MPI(MPI_Win_get_attr, window, MPI_WIN_BASE, static_cast<void*>(&value), &there);
        if (there == 0 || (context_.size.count > 0 && value != base)) {
            return "the window does not begin where its memory does";
        }
        FATHOM_MPI(MPI_Win_get_attr, window, MPI_WIN_SIZE, static_cast<void*>(&value), &there);
        if (there == 0 || *static_cast<MPI_Aint*>(value) != context_.size.count) {
            return "the window does not have the requested size";
        }
        return {};
    }

    void use(MPI_Win window, std::byte* base) {
        fill_pattern({base, static_cast<std::size_t>(context_.size.count)}, stream_of(context_.rank));
        FATHOM_MPI(MPI_Win_fence, 0, window);
        FATHOM_MPI(MPI_Get, buffers_.fetched.data(), message_.count(), message_.datatype(), neighbour(), 0,
                   message_.count(), message_.datatype(), window);
        FATHOM_MPI(MPI_Win_fence, 0, window);
    }

    OperationContext context_;
    const WindowKind& kind_;
    mpi::ByteMessage message_;
    WindowBuffers buffers_;
    bool checked_ = false;
    std::string wrong_;
};

}  // namespace

std::unique_ptr<Operation> make_window_making(const plan::OperationInfo& info,
                                              const OperationContext& context) {
    const auto* const row = std::ranges::find(window_calls, info.call, &WindowCall::name);
    return row == window_calls.end() ? nullptr
                                     : std::make_unique<WindowMaking>(context, window_kind(row->memory));
}

}  // namespace fathom::probe
