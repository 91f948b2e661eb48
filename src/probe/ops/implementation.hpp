#pragma once

#include <memory>
#include <string>

#include <mpi.h>

#include "base/units.hpp"
#include "probe/interfaces/traced.hpp"
#include "probe/loops/leaf_threads.hpp"
#include "probe/ops/registry.hpp"

namespace fathom::probe {

/// Who contributes to a collective, numbered in the order of ranks: every rank, or each of its threads where
/// a tree has leaves for them.
struct Contributors {
    int first = 0;  ///< number of this rank's thread 0; its other threads follow
    int own = 1;    ///< threads of this rank
    int all = 1;
};
Contributors contributors_of(const OperationContext& context);

/// Collectives of one communicator that the library does not perform itself. Arguments and results as of the
/// MPI functions, where blocks that are sent are as those that are received; each call is numbered, and may
/// be traced. All threads of a rank that contribute make every call, at the same time; `thread` says which
/// one does. Thread 0 is the one that may call MPI. It alone gets the result of a reduce and has the data of
/// a bcast, and makes the calls that have no `thread`.
class Implementation : public Traced {
  public:
    virtual int barrier(int /*thread*/) { return lacking; }
    virtual int bcast(int /*thread*/, void* /*buffer*/, int /*count*/, MPI_Datatype /*type*/, int /*root*/) {
        return lacking;
    }
    virtual int gather(int /*thread*/, const void* /*in*/, void* /*out*/, int /*count*/,
                       MPI_Datatype /*type*/, int /*root*/) {
        return lacking;
    }
    virtual int scatter(int /*thread*/, const void* /*in*/, void* /*out*/, int /*count*/,
                        MPI_Datatype /*type*/, int /*root*/) {
        return lacking;
    }
    virtual int allgather(int /*thread*/, const void* /*in*/, void* /*out*/, int /*count*/,
                          MPI_Datatype /*type*/) {
        return lacking;
    }
    virtual int alltoall(int /*thread*/, const void* /*in*/, void* /*out*/, int /*count*/,
                         MPI_Datatype /*type*/) {
        return lacking;
    }
    virtual int reduce(int /*thread*/, const void* /*in*/, void* /*out*/, int /*count*/,
                       MPI_Datatype /*type*/, MPI_Op /*op*/, int /*root*/) {
        return lacking;
    }
    virtual int allreduce(int /*thread*/, const void* /*in*/, void* /*out*/, int /*count*/,
                          MPI_Datatype /*type*/, MPI_Op /*op*/) {
        return lacking;
    }
    virtual int reduce_scatter(int /*thread*/, const void* /*in*/, void* /*out*/, const int* /*counts*/,
                               MPI_Datatype /*type*/, MPI_Op /*op*/) {
        return lacking;
    }
    virtual int reduce_scatter_block(int /*thread*/, const void* /*in*/, void* /*out*/, int /*count*/,
                                     MPI_Datatype /*type*/, MPI_Op /*op*/) {
        return lacking;
    }

    /// Of this rank that contribute.
    [[nodiscard]] virtual int threads() const = 0;
    /// Threads have to share cores.
    [[nodiscard]] virtual bool crowded() const = 0;
    /// As Operation::remark.
    [[nodiscard]] virtual std::string remark() const = 0;

  private:
    /// Of the collectives that it does not have.
    static constexpr int lacking = MPI_ERR_UNSUPPORTED_OPERATION;
};

/// The one that an operation is made with, for calls with up to so much data of one datatype on a rank; null:
/// the library performs its own. `op` is what reductions are by. Collective over the communicator. Throws
/// Unavailable.
std::unique_ptr<Implementation> make_implementation(const OperationContext& context, MPI_Comm communicator,
                                                    Bytes largest, MPI_Datatype type,
                                                    MPI_Op op = MPI_OP_NULL);

/// The threads that contribute besides the caller's; none where the library performs the collective.
std::unique_ptr<LeafThreads> make_leaf_threads(const Implementation* own);

/// What is wrong with the data of a thread of this rank, for people.
inline std::string in_thread(int thread, const std::string& wrong) {
    return thread == 0 ? wrong : "thread " + std::to_string(thread) + ": " + wrong;
}

/// What it remarks, if there is one.
inline std::string remark_of(const Implementation* own) {
    return own != nullptr ? own->remark() : std::string();
}

/// As Operation::shares_cores.
inline bool threads_share_cores(const Implementation* own) {
    return own != nullptr && own->threads() > 1 && own->crowded();
}

/// MPI_Allreduce by an implementation without threads, or by the library if there is none.
inline int allreduce_by(Implementation* own, const void* in, void* out, int count, MPI_Datatype type,
                        MPI_Op op, MPI_Comm communicator) {
    return own != nullptr ? own->allreduce(0, in, out, count, type, op)
                          : MPI_Allreduce(in, out, count, type, op, communicator);
}

}  // namespace fathom::probe
