#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include <mpi.h>

namespace fathom::collectives {

/// The same on all ranks.
struct ReferenceOptions {
    /// All the data of a call on a rank: memory is made for this much. Larger calls work too.
    std::size_t largest_bytes = 0;
    /// What a pipeline is cut into. A chain of p ranks takes (p - 2 + n / s)(alpha + s beta) for n bytes in
    /// segments of s, least at s = sqrt(n alpha / ((p - 2) beta)). Where starting a message takes as long as
    /// 10 to 20 KB of it (TCP, Myrinet, the simulated platforms), this is from 14 KiB (128 KiB, 16 ranks) to
    /// 58 KiB (1 MiB, 8 ranks).
    std::size_t segment_bytes = std::size_t{1} << 15U;
};

/// One algorithm of plan/reference_algorithms.def on one communicator. Made and destroyed collectively by all
/// of its ranks; used by one thread of each. No call allocates or locks, but the first one that needs more
/// memory than was made: beyond `largest_bytes`, or for datatypes whose elements are not their bytes.
class ReferenceCollective {
  public:
    /// Throws BadInput if there is no such algorithm, NotMeasured if MPI fails, std::bad_alloc.
    ReferenceCollective(MPI_Comm communicator, std::string_view operation, std::string_view name,
                        const ReferenceOptions& options);
    ReferenceCollective(const ReferenceCollective&) = delete;
    ReferenceCollective& operator=(const ReferenceCollective&) = delete;
    ~ReferenceCollective();

    // As the MPI functions of these names; errors of MPI are returned. MPI_IN_PLACE is accepted. MPI_ERR_OP:
    // the operation is not commutative and the algorithm needs that. MPI_ERR_UNSUPPORTED_OPERATION: this one
    // performs another collective.
    int barrier();
    int bcast(void* buffer, int count, MPI_Datatype datatype, int root);
    int gather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
               MPI_Datatype receive_type, int root);
    int scatter(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                MPI_Datatype receive_type, int root);
    int allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                  MPI_Datatype receive_type);
    int alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                 MPI_Datatype receive_type);
    int reduce(const void* send, void* receive, int count, MPI_Datatype datatype, MPI_Op op, int root);
    int allreduce(const void* send, void* receive, int count, MPI_Datatype datatype, MPI_Op op);
    int reduce_scatter(const void* send, void* receive, const int* counts, MPI_Datatype datatype, MPI_Op op);
    int reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype datatype, MPI_Op op);

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace fathom::collectives
