#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "journal/records.hpp"
#include "probe/loops/clock.hpp"
#include "probe/loops/group.hpp"
#include "probe/loops/start.hpp"
#include "probe/ops/operation.hpp"
#include "stats/stop_rule.hpp"

namespace fathom::probe {

/// Repetitions between two deliveries to rank 0. It bounds the memory of every rank (24 bytes a repetition,
/// 1.5 MiB) and of rank 0 (its own batch and one packed batch of another), whatever the number of ranks or
/// repetitions.
inline constexpr std::int64_t batch_reps = 65'536;

/// Within what a stopping rule may decide.
struct LoopLimits {
    std::int64_t min_reps = 1;  ///< valid ones
    std::int64_t max_reps = 1;  ///< valid ones
    Nanoseconds budget{INT64_MAX};
};

/// What a loop tells on the way.
struct LoopEvents {
    /// Every rank's packed samples, on rank 0 only, with the rank within the group.
    std::function<void(journal::SampleBlock)> deliver;
    /// Called on all ranks between series, with the mean time of a call (largest over ranks): the place to
    /// compare clocks again. May be empty.
    std::function<void(Nanoseconds per_rep)> pause;
};

/// How a loop ended; the same on all ranks.
struct LoopResult {
    enum class End { goal, most_reps, budget };
    End end = End::goal;
    std::int64_t reps = 0;     ///< all
    std::int64_t invalid = 0;  ///< on some rank
};

/// Repeats an operation until the rule is satisfied or a limit is reached. A repetition that is invalid on
/// one rank is so on all: it is kept and flagged, and another one is made in its place. The rule sees the
/// largest time over ranks, or rank 0's alone. Collective.
LoopResult measure_point(Group& group, const Clock& clock, Start& start, Operation& operation,
                         stats::StopRule& rule, bool first_rank_only, const LoopLimits& limits,
                         const LoopEvents& events);

}  // namespace fathom::probe
