#pragma once

#include <mpi.h>

#include "probe/loops/group.hpp"

namespace fathom::probe::mpi {

/// The ranks of a communicator, on a duplicate of it so that our messages never meet the measured ones.
class MpiGroup : public Group {
  public:
    /// Collective over `parent`. With `yielding`, waits give the processor away: for more ranks than cores.
    MpiGroup(MPI_Comm parent, bool yielding);
    ~MpiGroup() override;

    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return size_; }
    void exchange_token(int to, int from) override;
    void send(int to, const std::string& text) override;
    std::string receive(int from) override;
    std::string receive_idle(int from) override;
    std::string first_of(const std::string& text) override;

    [[nodiscard]] MPI_Comm communicator() const { return communicator_; }

  private:
    void wait(MPI_Request& request) const;

    MPI_Comm communicator_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
    bool yielding_;
};

}  // namespace fathom::probe::mpi
