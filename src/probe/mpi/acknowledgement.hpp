#pragma once

#include <mpi.h>

#include "probe/interfaces/start.hpp"
#include "probe/mpi/check.hpp"

namespace fathom::probe::mpi {

/// Every other rank sends rank 0 an empty message, which waits for all: it is done when the last one is.
class Acknowledgement : public Start {
  public:
    /// Follows calls on this communicator. No operation expects a message from another rank once its call has
    /// returned at both, so its tag need not differ from theirs; it does.
    explicit Acknowledgement(MPI_Comm communicator) : communicator_(communicator) {
        FATHOM_MPI(MPI_Comm_rank, communicator, &rank_);
        FATHOM_MPI(MPI_Comm_size, communicator, &size_);
    }
    bool align() override {
        constexpr int tag = 31;
        if (rank_ != 0) {
            FATHOM_MPI(MPI_Send, nullptr, 0, MPI_BYTE, 0, tag, communicator_);
            return true;
        }
        for (int rank = 1; rank < size_; ++rank) {
            FATHOM_MPI(MPI_Recv, nullptr, 0, MPI_BYTE, rank, tag, communicator_, MPI_STATUS_IGNORE);
        }
        return true;
    }

  private:
    MPI_Comm communicator_;
    int rank_ = 0;
    int size_ = 1;
};

}  // namespace fathom::probe::mpi
