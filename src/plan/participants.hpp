#pragma once

#include <span>
#include <string>
#include <vector>

#include "plan/operations.hpp"
#include "plan/plan.hpp"

/// Who takes part in a point: all ranks of the job or some, together or in groups that measure
/// simultaneously.
namespace fathom::plan {

/// The ranks that `0`, `4-7` name, in rising order, each once. Throws BadInput that says what to give.
std::vector<int> rank_list(std::span<const std::string> words);

/// The processes of a point, which are those of each group, where this many take part or may. Throws BadInput
/// if there are not enough, or if they cannot be divided equally.
int procs_of_point(const OperationSettings& settings, int started);

/// The ranks of each group of a point with this many processes in each.
std::vector<std::vector<int>> groups_of(const OperationSettings& settings, int procs);

/// Why an operation takes no groups or no subset of ranks, if that is requested; else empty.
std::string lack_of_groups(const OperationInfo& operation, const OperationSettings& settings);

}  // namespace fathom::plan
