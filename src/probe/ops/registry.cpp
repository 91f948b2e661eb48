#include "probe/ops/registry.hpp"

#include <array>

#include <fmt/format.h>

#include "probe/mpi/check.hpp"
#include "probe/ops/availability.hpp"

namespace fathom::probe {
namespace {

using GroupMaker = std::unique_ptr<Operation> (*)(const plan::OperationInfo& info,
                                                  const OperationContext& context);

/// In the order of plan::Group.
constexpr std::array<GroupMaker, names_of<plan::Group>.size()> makers_by_group{
    make_point_to_point, make_pattern,       make_stream, make_survey, make_collective, make_communicator,
    make_one_sided,      make_master_worker, make_single, make_kernel, make_overlap};

}  // namespace

std::unique_ptr<Operation> make_operation(std::string_view name, const OperationContext& context) {
    const auto& info = plan::find_operation(name);
    if (auto reason = why_unavailable(info); !reason.empty()) {
        throw Unavailable(reason);
    }
    if (context.tree != nullptr && !plan::performs(plan::ImplementationKind::tree, info)) {
        throw Unavailable(fmt::format("no tree performs {}", name));
    }
    auto operation = makers_by_group.at(static_cast<std::size_t>(info.group))(info, context);
    if (!operation) {
        throw Unavailable("this probe was built before the operation was added; build it again");
    }
    return operation;
}

}  // namespace fathom::probe
