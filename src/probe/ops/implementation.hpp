#pragma once

#include <memory>
#include <string>

#include <mpi.h>

#include "base/units.hpp"
#include "probe/interfaces/traced.hpp"
#include "probe/ops/registry.hpp"

namespace fathom::probe {

/// Collectives of one communicator that the library does not perform itself. Arguments and results as of the
/// MPI functions, where blocks that are sent are as those that are received; each call is numbered, and may
/// be traced.
class Implementation : public Traced {
  public:
    virtual int barrier() { return lacking; }
    virtual int bcast(void* /*buffer*/, int /*count*/, MPI_Datatype /*type*/, int /*root*/) {
        return lacking;
    }
    virtual int gather(const void* /*in*/, void* /*out*/, int /*count*/, MPI_Datatype /*type*/,
                       int /*root*/) {
        return lacking;
    }
    virtual int scatter(const void* /*in*/, void* /*out*/, int /*count*/, MPI_Datatype /*type*/,
                        int /*root*/) {
        return lacking;
    }
    virtual int allgather(const void* /*in*/, void* /*out*/, int /*count*/, MPI_Datatype /*type*/) {
        return lacking;
    }
    virtual int alltoall(const void* /*in*/, void* /*out*/, int /*count*/, MPI_Datatype /*type*/) {
        return lacking;
    }
    virtual int reduce(const void* /*in*/, void* /*out*/, int /*count*/, MPI_Datatype /*type*/, MPI_Op /*op*/,
                       int /*root*/) {
        return lacking;
    }
    virtual int allreduce(const void* /*in*/, void* /*out*/, int /*count*/, MPI_Datatype /*type*/,
                          MPI_Op /*op*/) {
        return lacking;
    }
    virtual int reduce_scatter(const void* /*in*/, void* /*out*/, const int* /*counts*/,
                               MPI_Datatype /*type*/, MPI_Op /*op*/) {
        return lacking;
    }
    virtual int reduce_scatter_block(const void* /*in*/, void* /*out*/, int /*count*/, MPI_Datatype /*type*/,
                                     MPI_Op /*op*/) {
        return lacking;
    }

    /// As Operation::remark.
    [[nodiscard]] virtual std::string remark() const = 0;

  private:
    /// Of the collectives that it does not have.
    static constexpr int lacking = MPI_ERR_UNSUPPORTED_OPERATION;
};

/// The one that an operation is made with, for calls with up to so much data on a rank; null: the library
/// performs its own. `op` is what reductions are by. Collective over the communicator. Throws Unavailable.
std::unique_ptr<Implementation> make_implementation(const OperationContext& context, MPI_Comm communicator,
                                                    Bytes largest, MPI_Op op = MPI_OP_NULL);

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
