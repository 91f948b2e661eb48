#pragma once

#include "probe/interfaces/group.hpp"
#include "probe/interfaces/start.hpp"

namespace fathom::probe {

/// Our own barrier over point-to-point: in round k every rank sends to the one 2^k to its right and waits for
/// the one 2^k to its left, ceil(log2 P) rounds. Independent of the quality of the library's MPI_Barrier.
class DisseminationBarrier : public Start {
  public:
    explicit DisseminationBarrier(Group& group) : group_(group) {}
    bool align() override;

  private:
    Group& group_;
};

}  // namespace fathom::probe
