#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/operations.hpp"

/// The registry of reference algorithms, `--via reference:NAME`.
namespace fathom::plan {

/// One row of plan/reference_algorithms.def.
struct ReferenceAlgorithm {
    std::string_view operation;  ///< the collective that it performs
    std::string_view name;
    bool commutative;     ///< what it demands of a reduction
    std::size_t buffers;  ///< memory of its own on a rank, in multiples of all the data of a call there
    std::string_view summary;

    /// What it demands, in words; empty: nothing.
    [[nodiscard]] std::string_view demand() const { return commutative ? "a commutative operation" : ""; }
};

/// All, in the order of the registry.
std::span<const ReferenceAlgorithm> reference_algorithms();

/// The collective of the registry that an operation is, is made of (kernels), or is a form of
/// (reduce_scatter_block); empty if no reference algorithm performs it.
std::string_view reference_collective(const OperationInfo& operation);

/// The names that an operation can be performed by.
std::vector<std::string> reference_names(const OperationInfo& operation);

/// Null if the operation has none of this name.
const ReferenceAlgorithm* find_reference(const OperationInfo& operation, std::string_view name);

}  // namespace fathom::plan
