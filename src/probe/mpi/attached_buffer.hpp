#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <mpi.h>

#include "base/units.hpp"

namespace fathom::probe::mpi {

/// The memory that MPI_Bsend copies messages into. A process can have one attached at a time, while two may
/// exist: so it is attached when it is first needed, and the one needed before has to be gone by then.
class AttachedBuffer {
  public:
    /// Room for this many messages of bytes in flight. Throws Unavailable if MPI cannot express its size.
    AttachedBuffer(Bytes message, std::int64_t messages, MPI_Comm communicator);
    AttachedBuffer(const AttachedBuffer&) = delete;
    AttachedBuffer& operator=(const AttachedBuffer&) = delete;
    /// Returns when all messages have left it.
    ~AttachedBuffer();

    /// Does nothing if it is attached already.
    void attach();
    /// Returns when all messages have left it. Does nothing if it is not attached.
    void detach();

  private:
    int bytes_;
    std::unique_ptr<std::byte[]> memory_;  // NOLINT(modernize-avoid-c-arrays): a vector would be set to zero
    bool attached_ = false;
};

}  // namespace fathom::probe::mpi
