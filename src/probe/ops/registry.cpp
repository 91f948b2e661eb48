#include "probe/ops/registry.hpp"

#include "probe/mpi/check.hpp"

namespace fathom::probe {

std::unique_ptr<Operation> make_operation(std::string_view name, const OperationContext& context) {
#define OPERATION(operation, ...)         \
    if (name == #operation) {             \
        return make_##operation(context); \
    }
#include "plan/operations.def"
#undef OPERATION
    throw mpi::Unavailable("this probe was built before the operation was added; build it again");
}

}  // namespace fathom::probe
