#include "collectives/reference/algorithms.hpp"

#include <algorithm>
#include <array>

namespace fathom::collectives::reference {
namespace {

using enum Order;

constexpr auto all_algorithms = std::to_array<Algorithm>({
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): rows of the registry
#define REFERENCE(operation, name, order, buffers, summary) \
    {#operation, #name, order, buffers, operation##_##name},
#include "plan/reference_algorithms.def"
#undef REFERENCE
});

static_assert(std::ranges::all_of(all_algorithms,
                                  [](const auto& row) { return row.buffers <= slots_of_algorithms; }));

}  // namespace

std::span<const Algorithm> algorithms() {
    return all_algorithms;
}

const Algorithm* find_algorithm(std::string_view operation, std::string_view name) {
    const auto* const found = std::ranges::find_if(
        all_algorithms, [&](const auto& row) { return row.operation == operation && row.name == name; });
    return found == all_algorithms.end() ? nullptr : found;
}

}  // namespace fathom::collectives::reference
