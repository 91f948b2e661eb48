#pragma once

#include <cstdint>

#include <mpi.h>

#include "base/units.hpp"

namespace fathom::probe::mpi {

/// How a number of bytes is split so that MPI's 32-bit counts can express it: `blocks` of `block` bytes and a
/// rest.
struct ByteCut {
    std::int64_t block = 1;
    int blocks = 0;
    int rest = 0;
};

/// Up to 2^31 - 1 bytes are used directly (one block is one byte); more is split into blocks of 1 GiB.
ByteCut cut_bytes(Bytes size);

/// A message of any number of bytes: the datatype and count to hand to MPI.
class ByteMessage {
  public:
    /// Throws Unavailable if the library cannot describe a message that large.
    explicit ByteMessage(Bytes size);
    ByteMessage(const ByteMessage&) = delete;
    ByteMessage& operator=(const ByteMessage&) = delete;
    ~ByteMessage();

    [[nodiscard]] MPI_Datatype datatype() const { return datatype_; }
    [[nodiscard]] int count() const { return count_; }

  private:
    MPI_Datatype datatype_ = MPI_BYTE;
    int count_ = 0;
    bool derived_ = false;
};

}  // namespace fathom::probe::mpi
