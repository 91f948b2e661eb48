#pragma once

#include <cstddef>
#include <vector>

#include <mpi.h>

#include "collectives/layout.hpp"

namespace fathom::collectives::reference {

/// Messages between the ranks of a communicator, which is duplicated: nobody else's can mix with them. Throws
/// MpiFailure. Messages without elements are sent like others, so that an algorithm has as many steps for
/// little data as for much.
///
/// In simulation a send ends when its data have arrived (MPI_Issend). SimGrid starts all messages below 64
/// KiB at once otherwise and lets them share their host's link, where a network interface would send one
/// after the other.
class Messages {
  public:
    /// Collective. `at_once` is how many sends and how many receives are under way at the same time.
    Messages(MPI_Comm communicator, std::size_t at_once);
    Messages(const Messages&) = delete;
    Messages& operator=(const Messages&) = delete;
    ~Messages();

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] MPI_Comm communicator() const { return communicator_; }

    /// What elements are from here on.
    void use(const Layout& layout) {
        type_ = layout.type;
        extent_ = layout.extent;
    }

    void start_send(const std::byte* from, std::size_t elements, int to);
    void start_receive(std::byte* to, std::size_t elements, int from);
    void finish_sends();
    void finish_receives();
    void finish() {
        finish_receives();
        finish_sends();
    }

    void send(const std::byte* from, std::size_t elements, int to) {
        start_send(from, elements, to);
        finish_sends();
    }
    void receive(std::byte* to, std::size_t elements, int from) {
        start_receive(to, elements, from);
        finish_receives();
    }
    /// Both at the same time.
    void exchange(const std::byte* sent, std::size_t elements_sent, int to, std::byte* received,
                  std::size_t elements_received, int from) {
        start_receive(received, elements_received, from);
        start_send(sent, elements_sent, to);
        finish();
    }

  private:
    MPI_Comm communicator_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
    MPI_Datatype type_ = MPI_BYTE;
    std::ptrdiff_t extent_ = 1;
    std::vector<MPI_Request> sends_;
    std::vector<MPI_Request> receives_;
};

}  // namespace fathom::collectives::reference
