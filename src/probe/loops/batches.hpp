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

/// What a measurement in batches tells.
struct BatchEvents {
    /// Every rank's packed samples, on rank 0 only, with the rank within the group.
    std::function<void(journal::SampleBlock)> deliver;
    /// Called on all ranks about once a second, with the mean time of a repetition (largest over ranks): the
    /// place to compare clocks again. Empty: repetitions are not interrupted for it.
    std::function<void(Nanoseconds per_rep)> pause;
};

/// Measures `reps` repetitions in batches.
void measure_in_batches(Group& group, const Clock& clock, Start& start, Operation& operation,
                        std::int64_t reps, const BatchEvents& events);

}  // namespace fathom::probe
