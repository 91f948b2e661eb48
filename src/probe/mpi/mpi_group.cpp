#include "probe/mpi/mpi_group.hpp"

#include <chrono>
#include <cstdint>
#include <sched.h>
#include <thread>

#include "probe/mpi/check.hpp"
#include "probe/mpi/flavour.hpp"

namespace fathom::probe::mpi {
namespace {

constexpr int token_tag = 1;
constexpr int length_tag = 2;
constexpr int text_tag = 3;
constexpr std::chrono::microseconds idle_nap{200};

}  // namespace

MpiGroup::MpiGroup(MPI_Comm parent, bool yielding) : yielding_(yielding && !simulated) {
    FATHOM_MPI(MPI_Comm_dup, parent, &communicator_);
    FATHOM_MPI(MPI_Comm_set_errhandler, communicator_, MPI_ERRORS_RETURN);
    FATHOM_MPI(MPI_Comm_rank, communicator_, &rank_);
    FATHOM_MPI(MPI_Comm_size, communicator_, &size_);
}

MpiGroup::~MpiGroup() {
    MPI_Comm_free(&communicator_);
}

void MpiGroup::wait(MPI_Request& request) const {
    int done = 0;
    while (yielding_ && done == 0) {
        FATHOM_MPI(MPI_Test, &request, &done, MPI_STATUS_IGNORE);
        if (done == 0) {
            ::sched_yield();
        }
    }
    if (done == 0) {
        FATHOM_MPI(MPI_Wait, &request, MPI_STATUS_IGNORE);
    }
}

void MpiGroup::exchange_token(int to, int from) {
    MPI_Request incoming = MPI_REQUEST_NULL;
    MPI_Request outgoing = MPI_REQUEST_NULL;
    FATHOM_MPI(MPI_Irecv, nullptr, 0, MPI_BYTE, from, token_tag, communicator_, &incoming);
    FATHOM_MPI(MPI_Isend, nullptr, 0, MPI_BYTE, to, token_tag, communicator_, &outgoing);
    wait(incoming);
    wait(outgoing);
}

void MpiGroup::send(int to, const std::string& text) {
    const auto length = static_cast<std::int64_t>(text.size());
    MPI_Request request = MPI_REQUEST_NULL;
    // Synchronous: nothing is on its way before the receiver asks for it, so it cannot pile up there.
    FATHOM_MPI(MPI_Issend, &length, 1, MPI_INT64_T, to, length_tag, communicator_, &request);
    wait(request);
    FATHOM_MPI(MPI_Issend, text.data(), static_cast<int>(length), MPI_BYTE, to, text_tag, communicator_,
               &request);
    wait(request);
}

std::string MpiGroup::receive(int from) {
    std::int64_t length = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    FATHOM_MPI(MPI_Irecv, &length, 1, MPI_INT64_T, from, length_tag, communicator_, &request);
    wait(request);
    std::string text(static_cast<std::size_t>(length), '\0');
    FATHOM_MPI(MPI_Irecv, text.data(), static_cast<int>(length), MPI_BYTE, from, text_tag, communicator_,
               &request);
    wait(request);
    return text;
}

std::string MpiGroup::receive_idle(int from) {
    int there = simulated ? 1 : 0;  // simulated waiting costs nothing
    while (there == 0) {
        FATHOM_MPI(MPI_Iprobe, from, length_tag, communicator_, &there, MPI_STATUS_IGNORE);
        if (there == 0) {
            std::this_thread::sleep_for(idle_nap);
        }
    }
    return receive(from);
}

std::string MpiGroup::first_of(const std::string& text) {
    const int mine = text.empty() ? size_ : rank_;
    int first = size_;
    FATHOM_MPI(MPI_Allreduce, &mine, &first, 1, MPI_INT, MPI_MIN, communicator_);
    if (first == size_) {
        return {};
    }
    std::string shared = text;
    auto length = static_cast<std::int64_t>(text.size());
    FATHOM_MPI(MPI_Bcast, &length, 1, MPI_INT64_T, first, communicator_);
    shared.resize(static_cast<std::size_t>(length));
    FATHOM_MPI(MPI_Bcast, shared.data(), static_cast<int>(length), MPI_BYTE, first, communicator_);
    return shared;
}

}  // namespace fathom::probe::mpi
