#include "probe/ops/registry.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "plan/operations.hpp"
#include "probe/mpi/check.hpp"
#include "probe/mpi/flavour.hpp"

namespace fathom::probe {
namespace {

constexpr int digit = 10;
constexpr int library_version = digit * MPI_VERSION + MPI_SUBVERSION;

std::unique_ptr<Operation> made(std::string_view name, const OperationContext& context) {
#define OPERATION(operation, group, ...)    \
    if (name == operation) {                \
        return make_##group(name, context); \
    }
#include "plan/operations.def"
#undef OPERATION
    return nullptr;
}

}  // namespace

std::string why_unavailable(std::string_view name) {
    const auto& info = plan::find_operation(name);
    if (info.version > library_version) {
        return fmt::format("it needs MPI {}, and this library has MPI {}.{}", info.version_text(),
                           MPI_VERSION, MPI_SUBVERSION);
    }
    return {};
}

std::unique_ptr<Operation> make_operation(std::string_view name, const OperationContext& context) {
    if (auto reason = why_unavailable(name); !reason.empty()) {
        throw mpi::Unavailable(reason);
    }
    auto operation = made(name, context);
    if (!operation) {
        throw mpi::Unavailable("this probe was built before the operation was added; build it again");
    }
    return operation;
}

}  // namespace fathom::probe
