#pragma once

#include <cstdint>

#include "probe/interfaces/clock.hpp"
#include "probe/interfaces/group.hpp"
#include "probe/interfaces/operation.hpp"
#include "probe/interfaces/start.hpp"

namespace fathom::probe {

/// The result of a warm-up; the same on all ranks.
struct WarmUp {
    std::int64_t calls = 0;
    bool stationary = true;  ///< false: it ended at a limit
    Nanoseconds longest;     ///< of the calls it ended with, largest over ranks
};

/// Calls until the times of the last 20 are stationary, or a limit of calls or time (1 s, or `most_time` if
/// that is less) is reached. Collective.
WarmUp warm_up(Group& group, const Clock& clock, Start& start, Operation& operation, Nanoseconds most_time);

/// A fixed number of calls.
WarmUp warm_up_by(Group& group, const Clock& clock, Start& start, Operation& operation, std::int64_t calls);

}  // namespace fathom::probe
