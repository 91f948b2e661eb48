#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/units.hpp"
#include "probe/ops/operation.hpp"

namespace fathom::probe {

/// What an operation is made for. `communicator` holds just the ranks that take part, and is its own.
struct OperationContext {
    MPI_Comm communicator;
    int rank;
    int procs;
    Bytes size;
    std::uint64_t seed;
};

/// This MPI library, machine or job cannot do the operation at this size; the sentence says why.
class Unavailable : public std::runtime_error {
  public:
    explicit Unavailable(const std::string& reason) : std::runtime_error(reason) {}
};

/// Makes an operation by its name in plan/operations.def. Throws Unavailable or std::bad_alloc.
std::unique_ptr<Operation> make_operation(std::string_view name, const OperationContext& context);

/// One maker a row of plan/operations.def, each in the file of its name.
#define OPERATION(name, ...) std::unique_ptr<Operation> make_##name(const OperationContext& context);
#include "plan/operations.def"
#undef OPERATION

}  // namespace fathom::probe
