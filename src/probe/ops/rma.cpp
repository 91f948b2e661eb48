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

/// A rank that leaves because of an error skips collective cleanup: it would wait for the
/// others, and nobody would see the error.
bool others_are_there() {
    return std::uncaught_exceptions() == 0;
}

/// Adds the calls of an origin to a scheme that has begin() and end() around each. The loop knows the scheme,
/// so that they cost nothing.
template <typename Scheme>
class AtOrigin : public Synchronisation {
  public:
    void perform(int (*call)(const OneSidedArguments& with), const OneSidedArguments& with,
                 std::int64_t count) override {
        auto& scheme = static_cast<Scheme&>(*this);
        for (std::int64_t i = 0; i < count; ++i) {
            scheme.begin();
            mpi::check(call(with), "the one-sided call");
            scheme.end();
        }
    }

  protected:
    explicit AtOrigin(const WindowOfTwo& place) : Synchronisation(place) {}
};

/// No assertions, as most programs have it: each fence ends one epoch and begins another.
class Fence : public AtOrigin<Fence> {
  public:
    explicit Fence(const WindowOfTwo& place) : AtOrigin(place) {}
    void begin() { FATHOM_MPI(MPI_Win_fence, 0, place().window); }
    void end() { FATHOM_MPI(MPI_Win_fence, 0, place().window); }
    void serve() override {
        begin();
        end();
    }
};

class PostStartCompleteWait : public AtOrigin<PostStartCompleteWait> {
  public:
    explicit PostStartCompleteWait(const WindowOfTwo& place) : AtOrigin(place) {
        const int partner = place.partner();
        MPI_Group both = MPI_GROUP_NULL;
        FATHOM_MPI(MPI_Comm_group, place.communicator, &both);
        FATHOM_MPI(MPI_Group_incl, both, 1, &partner, &partner_);
        FATHOM_MPI(MPI_Group_free, &both);
    }
    ~PostStartCompleteWait() override { MPI_Group_free(&partner_); }
    void begin() { FATHOM_MPI(MPI_Win_start, partner_, 0, place().window); }
    void end() { FATHOM_MPI(MPI_Win_complete, place().window); }
    void serve() override {
        FATHOM_MPI(MPI_Win_post, partner_, 0, place().window);
        FATHOM_MPI(MPI_Win_wait, place().window);
    }

  private:
    MPI_Group partner_ = MPI_GROUP_NULL;
};

/// A shared lock, as programs take it where several origins work at once.
class Lock : public AtOrigin<Lock> {
  public:
    explicit Lock(const WindowOfTwo& place) : AtOrigin(place) {}
    void begin() { FATHOM_MPI(MPI_Win_lock, MPI_LOCK_SHARED, place().partner(), 0, place().window); }
    void end() { FATHOM_MPI(MPI_Win_unlock, place().partner(), place().window); }
    void begin_local() override {
        FATHOM_MPI(MPI_Win_lock, MPI_LOCK_EXCLUSIVE, place().own, 0, place().window);
    }
    void end_local() override { FATHOM_MPI(MPI_Win_unlock, place().own, place().window); }
};

/// One epoch for the operation's whole life.
class Flush : public AtOrigin<Flush> {
  public:
    explicit Flush(const WindowOfTwo& place) : AtOrigin(place) {
        FATHOM_MPI(MPI_Win_lock_all, 0, place.window);
    }
    ~Flush() override {
        if (others_are_there()) {
            MPI_Win_unlock_all(place().window);
        }
    }
    void begin() {}
    void end() { FATHOM_MPI(MPI_Win_flush, place().partner(), place().window); }
    void begin_local() override { FATHOM_MPI(MPI_Win_sync, place().window); }
    void end_local() override { FATHOM_MPI(MPI_Win_sync, place().window); }
};

template <typename Scheme>
std::unique_ptr<Synchronisation> make(const WindowOfTwo& place) {
    return std::make_unique<Scheme>(place);
}

int size_of(MPI_Comm communicator) {
    int size = 0;
    FATHOM_MPI(MPI_Comm_size, communicator, &size);
    return size;
}

}  // namespace

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

SynchronisationMaker synchronisation(plan::Synchronisation kind) {
    switch (kind) {
        case plan::Synchronisation::fence:
            return make<Fence>;
        case plan::Synchronisation::pscw:
            return make<PostStartCompleteWait>;
        case plan::Synchronisation::lock:
            return make<Lock>;
        case plan::Synchronisation::flush:
            return make<Flush>;
    }
    return nullptr;
}

}  // namespace fathom::probe
