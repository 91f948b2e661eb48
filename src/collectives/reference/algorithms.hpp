#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "collectives/reference/task.hpp"

/// The reference algorithms. Each is correct for any number of ranks, any root, size and datatype, and keeps
/// the order of ranks in reductions unless the registry says that it needs a commutative operation.
namespace fathom::collectives::reference {

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): the registry names the functions
#define REFERENCE(operation, name, ...) void operation##_##name(const Task& task);
#include "plan/reference_algorithms.def"
#undef REFERENCE

/// What a reduction has to be.
enum class Order { any_order, commutative };

/// A row of the registry with its function.
struct Algorithm {
    std::string_view operation;
    std::string_view name;
    Order order;
    std::size_t buffers;  ///< of its own, each for all the data of a call on a rank
    void (*perform)(const Task& task);
};

/// All, in the order of the registry.
std::span<const Algorithm> algorithms();

/// Null if there is none.
const Algorithm* find_algorithm(std::string_view operation, std::string_view name);

}  // namespace fathom::collectives::reference
