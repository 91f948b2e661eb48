#pragma once

#include <mpi.h>

#include "probe/interfaces/start.hpp"
#include "probe/mpi/check.hpp"

namespace fathom::probe::mpi {

/// The library's own barrier, as other benchmarks use it.
class MpiBarrier : public Start {
  public:
    explicit MpiBarrier(MPI_Comm communicator) : communicator_(communicator) {}
    bool align() override {
        FATHOM_MPI(MPI_Barrier, communicator_);
        return true;
    }

  private:
    MPI_Comm communicator_;
};

}  // namespace fathom::probe::mpi
