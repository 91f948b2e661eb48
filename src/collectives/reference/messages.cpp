#include "collectives/reference/messages.hpp"

#include <algorithm>

#include <climits>

#include "collectives/mpi_failure.hpp"
#include "collectives/simulation.hpp"

namespace fathom::collectives::reference {
namespace {

/// One for all: between two ranks messages arrive in the order in which they are sent, which both know.
constexpr int only_tag = 0;

int start_one_send(const void* from, int count, MPI_Datatype type, int to, MPI_Comm communicator,
                   MPI_Request* request) {
    if constexpr (simulated) {
        return MPI_Issend(from, count, type, to, only_tag, communicator, request);
    } else {
        return MPI_Isend(from, count, type, to, only_tag, communicator, request);
    }
}

/// MPI counts in 32 bits: more elements are several messages.
template <class Start>
void in_parts(std::size_t elements, std::ptrdiff_t extent, const Start& start) {
    constexpr std::size_t most = INT_MAX;
    std::ptrdiff_t offset = 0;
    do {
        const auto part = std::min(elements, most);
        start(offset, static_cast<int>(part));
        offset += static_cast<std::ptrdiff_t>(part) * extent;
        elements -= part;
    } while (elements > 0);
}

void finish_all(std::vector<MPI_Request>& requests) {
    if (!requests.empty()) {
        const int code = MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
        requests.clear();
        checked(code);
    }
}

}  // namespace

Messages::Messages(MPI_Comm communicator, std::size_t at_once) {
    checked(MPI_Comm_dup(communicator, &communicator_));
    MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Comm_size(communicator_, &size_);
    sends_.reserve(at_once);
    receives_.reserve(at_once);
}

Messages::~Messages() {
    MPI_Comm_free(&communicator_);
}

void Messages::start_send(const std::byte* from, std::size_t elements, int to) {
    in_parts(elements, extent_, [&](std::ptrdiff_t offset, int count) {
        sends_.push_back(MPI_REQUEST_NULL);
        checked(start_one_send(from + offset, count, type_, to, communicator_, &sends_.back()));
    });
}

void Messages::start_receive(std::byte* to, std::size_t elements, int from) {
    in_parts(elements, extent_, [&](std::ptrdiff_t offset, int count) {
        receives_.push_back(MPI_REQUEST_NULL);
        checked(MPI_Irecv(to + offset, count, type_, from, only_tag, communicator_, &receives_.back()));
    });
}

void Messages::finish_sends() {
    finish_all(sends_);
}

void Messages::finish_receives() {
    finish_all(receives_);
}

}  // namespace fathom::collectives::reference
