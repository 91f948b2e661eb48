#pragma once

#include <cstdint>
#include <functional>

#include "journal/records.hpp"
#include "probe/loops/clock.hpp"
#include "probe/loops/group.hpp"
#include "probe/loops/start.hpp"
#include "probe/ops/operation.hpp"

namespace fathom::probe {

/// Repetitions between two deliveries to rank 0. It bounds the memory of every rank (24 bytes a repetition,
/// 1.5 MiB) and of rank 0 (its own batch and one packed batch of another), whatever the number of ranks or
/// repetitions.
inline constexpr std::int64_t batch_reps = 65'536;

/// Measures `reps` repetitions in batches. After each batch, rank 0 of the group hands every rank's packed
/// samples to `deliver` (called on rank 0 only, with the rank within the group).
void measure_in_batches(Group& group, const Clock& clock, Start& start, Operation& operation,
                        std::int64_t reps, const std::function<void(journal::SampleBlock)>& deliver);

}  // namespace fathom::probe
