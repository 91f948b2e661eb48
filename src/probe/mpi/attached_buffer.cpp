#include "probe/mpi/attached_buffer.hpp"

#include <climits>
#include <fmt/format.h>

#include "probe/mpi/check.hpp"

namespace fathom::probe::mpi {
namespace {

/// What MPI needs for this many messages, including its own overhead.
int room_for(Bytes message, std::int64_t messages, MPI_Comm communicator) {
    int packed = INT_MAX;
    if (message.count <= INT_MAX) {
        FATHOM_MPI(MPI_Pack_size, static_cast<int>(message.count), MPI_BYTE, communicator, &packed);
    }
    const auto room = messages * (std::int64_t{packed} + MPI_BSEND_OVERHEAD);
    if (room > INT_MAX) {
        throw Unavailable(
            fmt::format("MPI can attach at most 2 GiB to send from, and {} messages of {} need more",
                        messages, to_text(message)));
    }
    return static_cast<int>(room);
}

}  // namespace

AttachedBuffer::AttachedBuffer(Bytes message, std::int64_t messages, MPI_Comm communicator)
    : bytes_(room_for(message, messages, communicator)),
      memory_(new std::byte[static_cast<std::size_t>(bytes_)]) {}

AttachedBuffer::~AttachedBuffer() {
    if (attached_) {
        void* address = nullptr;
        int bytes = 0;
        MPI_Buffer_detach(static_cast<void*>(&address), &bytes);
    }
}

void AttachedBuffer::detach() {
    if (attached_) {
        attached_ = false;
        void* address = nullptr;
        int bytes = 0;
        FATHOM_MPI(MPI_Buffer_detach, static_cast<void*>(&address), &bytes);
    }
}

void AttachedBuffer::attach() {
    if (!attached_) {
        FATHOM_MPI(MPI_Buffer_attach, memory_.get(), bytes_);
        attached_ = true;
    }
}

}  // namespace fathom::probe::mpi
