#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mpi.h>

namespace fathom::collectives {

/// Which ranks of a communicator share a host, and memory that they share. Made and destroyed collectively.
/// In simulation there are hosts, but no memory.
class HostMemory {
  public:
    /// `threads` says how many of this rank take part.
    explicit HostMemory(MPI_Comm communicator, int threads = 1);
    HostMemory(const HostMemory&) = delete;
    HostMemory& operator=(const HostMemory&) = delete;
    ~HostMemory();

    /// A number of the host of each rank of the communicator.
    [[nodiscard]] std::span<const int> host_of() const { return host_of_; }
    /// More ranks and threads than cores here, or more threads of a rank than it has cores.
    [[nodiscard]] bool crowded() const { return crowded_; }

    /// Each rank provides memory in whole lines; `bytes` says how much. Once at most.
    void share(std::span<const std::size_t> bytes);
    /// That of a rank of the same host.
    [[nodiscard]] std::byte* of(int rank) const { return memory_.at(static_cast<std::size_t>(rank)); }
    /// Returns when all ranks of this host are here.
    void meet() const;

  private:
    MPI_Comm communicator_;
    MPI_Comm host_ = MPI_COMM_NULL;
    MPI_Win window_ = MPI_WIN_NULL;
    std::vector<int> host_of_;
    std::vector<int> ranks_here_;
    std::vector<std::byte*> memory_;
    bool crowded_ = false;
};

}  // namespace fathom::collectives
