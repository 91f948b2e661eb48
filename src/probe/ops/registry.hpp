#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

#include "base/units.hpp"
#include "plan/operations.hpp"
#include "plan/plan.hpp"
#include "plan/reference_algorithms.hpp"
#include "probe/interfaces/clock.hpp"
#include "probe/interfaces/operation.hpp"
#include "tree/tree.hpp"

namespace fathom::probe {

/// What an operation is made for. `communicator` holds just the ranks that take part, and is its own.
struct OperationContext {
    MPI_Comm communicator = MPI_COMM_NULL;
    int rank = 0;
    int procs = 1;
    Bytes size;
    std::uint64_t seed = 0;
    Bytes region{0};           ///< memory that message data wander through; 0: they stay in one place
    bool rotate_root = false;  ///< another root for every call
    Bytes memory{INT64_MAX};   ///< that this rank may take
    plan::OperationSettings settings = {};
    std::vector<int> hosts = {};       ///< of all ranks, by number; empty: all on one
    const Clock* clock = nullptr;      ///< for what an operation times within itself
    const tree::Tree* tree = nullptr;  ///< that performs its collectives; none: the library
    const plan::ReferenceAlgorithm* reference = nullptr;  ///< that performs them instead
    plan::TraceSettings trace = {};                       ///< of what is not the library's own
};

/// Makes an operation by its name in plan/operations.def. Throws Unavailable or std::bad_alloc.
std::unique_ptr<Operation> make_operation(std::string_view name, const OperationContext& context);

/// One factory per group, each in the file of its name; nothing for a call that its table does not have.
std::unique_ptr<Operation> make_point_to_point(const plan::OperationInfo& info,
                                               const OperationContext& context);
std::unique_ptr<Operation> make_pattern(const plan::OperationInfo& info, const OperationContext& context);
std::unique_ptr<Operation> make_stream(const plan::OperationInfo& info, const OperationContext& context);
std::unique_ptr<Operation> make_survey(const plan::OperationInfo& info, const OperationContext& context);
std::unique_ptr<Operation> make_collective(const plan::OperationInfo& info, const OperationContext& context);
std::unique_ptr<Operation> make_communicator(const plan::OperationInfo& info,
                                             const OperationContext& context);
std::unique_ptr<Operation> make_one_sided(const plan::OperationInfo& info, const OperationContext& context);
std::unique_ptr<Operation> make_master_worker(const plan::OperationInfo& info,
                                              const OperationContext& context);
std::unique_ptr<Operation> make_single(const plan::OperationInfo& info, const OperationContext& context);
std::unique_ptr<Operation> make_kernel(const plan::OperationInfo& info, const OperationContext& context);
/// In probe/overlap/. Its result is a Nonblocking too.
std::unique_ptr<Operation> make_overlap(const plan::OperationInfo& info, const OperationContext& context);

}  // namespace fathom::probe
