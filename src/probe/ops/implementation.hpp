#pragma once

#include <memory>
#include <string>

#include <mpi.h>

#include "base/units.hpp"
#include "probe/interfaces/traced.hpp"
#include "probe/ops/registry.hpp"

namespace fathom::probe {

/// Collectives of one communicator that the library does not perform itself. Arguments and results as of the
/// MPI functions; each call is numbered, and may be traced.
class Implementation : public Traced {
  public:
    virtual int barrier() = 0;
    virtual int bcast(void* buffer, int count, MPI_Datatype type, int root) = 0;
    virtual int reduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root) = 0;
    virtual int allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op) = 0;

    /// As Operation::remark.
    [[nodiscard]] virtual std::string remark() const = 0;
};

/// The one that an operation is made with, for messages up to this size; null: the library performs its own.
/// Collective over the communicator. Throws Unavailable.
std::unique_ptr<Implementation> make_implementation(const OperationContext& context, MPI_Comm communicator,
                                                    Bytes largest);

/// What it remarks, if there is one.
inline std::string remark_of(const Implementation* own) {
    return own != nullptr ? own->remark() : std::string();
}

/// MPI_Allreduce by an implementation, or by the library if there is none.
inline int allreduce_by(Implementation* own, const void* in, void* out, int count, MPI_Datatype type,
                        MPI_Op op, MPI_Comm communicator) {
    return own != nullptr ? own->allreduce(in, out, count, type, op)
                          : MPI_Allreduce(in, out, count, type, op, communicator);
}

}  // namespace fathom::probe
