#include "probe/ops/registry.hpp"

#include "probe/mpi/check.hpp"
#include "probe/ops/availability.hpp"

namespace fathom::probe {
namespace {

std::unique_ptr<Operation> made(std::string_view name, const OperationContext& context) {
    if (name.starts_with(plan::overlap_prefix)) {
        return make_overlap(name, context);
    }
#define OPERATION(operation, group, ...)    \
    if (name == operation) {                \
        return make_##group(name, context); \
    }
#include "plan/operations.def"
#undef OPERATION
    return nullptr;
}

}  // namespace

std::unique_ptr<Operation> make_operation(std::string_view name, const OperationContext& context) {
    if (auto reason = why_unavailable(name); !reason.empty()) {
        throw Unavailable(reason);
    }
    auto operation = made(name, context);
    if (!operation) {
        throw Unavailable("this probe was built before the operation was added; build it again");
    }
    return operation;
}

}  // namespace fathom::probe
