#pragma once

#include <string>

#include <mpi.h>

#include "base/units.hpp"
#include "probe/mpi/byte_message.hpp"
#include "probe/ops/blocks.hpp"

namespace fathom::probe {

/// A datatype that was made, or none.
class OwnedType {
  public:
    OwnedType() = default;
    OwnedType(const OwnedType&) = delete;
    OwnedType& operator=(const OwnedType&) = delete;
    ~OwnedType() {
        if (handle_ != MPI_DATATYPE_NULL) {
            MPI_Type_free(&handle_);
        }
    }
    [[nodiscard]] MPI_Datatype get() const { return handle_; }
    /// Where MPI puts it.
    MPI_Datatype* place() { return &handle_; }

  private:
    MPI_Datatype handle_ = MPI_DATATYPE_NULL;
};

/// A message of a shape: the datatype and count to hand to MPI.
class BlockMessage {
  public:
    /// Throws Unavailable if MPI or this library cannot describe it.
    BlockMessage(Shape shape, Bytes size);

    [[nodiscard]] MPI_Datatype datatype() const {
        return shape_ == Shape::bytes ? bytes_.datatype() : derived_.get();
    }
    [[nodiscard]] int count() const { return count_; }
    /// For people.
    [[nodiscard]] std::string text() const;

    /// What the description takes in memory.
    static Bytes own_memory(Shape shape, Bytes size);

  private:
    void derive(const Blocks& blocks);
    void derive_indexed(const Blocks& blocks);
    void derive_records(const Blocks& blocks);
    void join(const Blocks& blocks, MPI_Datatype cycles, int times);

    Shape shape_;
    mpi::ByteMessage bytes_;
    OwnedType derived_;
    int count_ = 1;
};

}  // namespace fathom::probe
