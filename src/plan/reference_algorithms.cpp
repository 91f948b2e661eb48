#include "plan/reference_algorithms.hpp"

#include <algorithm>
#include <array>

namespace fathom::plan {
namespace {

constexpr bool any_order = false;
constexpr bool commutative = true;

constexpr auto all_reference_algorithms = std::to_array<ReferenceAlgorithm>({
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): rows of the registry
#define REFERENCE(operation, name, order, buffers, summary) {#operation, #name, order, buffers, summary},
#include "plan/reference_algorithms.def"
#undef REFERENCE
});

bool has_reference(std::string_view collective) {
    return std::ranges::any_of(all_reference_algorithms,
                               [&](const auto& row) { return row.operation == collective; });
}

}  // namespace

std::span<const ReferenceAlgorithm> reference_algorithms() {
    return all_reference_algorithms;
}

std::string_view reference_collective(const OperationInfo& operation) {
    if (operation.group == Group::kernel) {
        return operation.is(Fact::over_trees) ? "allreduce" : "";
    }
    if (operation.group != Group::collective || operation.form != Form::blocking) {
        return "";
    }
    if (operation.call == "reduce_scatter_block") {
        return "reduce_scatter";
    }
    return has_reference(operation.call) ? operation.call : "";
}

std::vector<std::string> reference_names(const OperationInfo& operation) {
    std::vector<std::string> names;
    const auto collective = reference_collective(operation);
    for (const auto& row : all_reference_algorithms) {
        if (row.operation == collective) {
            names.emplace_back(row.name);
        }
    }
    return names;
}

const ReferenceAlgorithm* find_reference(const OperationInfo& operation, std::string_view name) {
    const auto collective = reference_collective(operation);
    const auto* const found = std::ranges::find_if(all_reference_algorithms, [&](const auto& row) {
        return row.operation == collective && row.name == name;
    });
    return found == all_reference_algorithms.end() ? nullptr : found;
}

}  // namespace fathom::plan
