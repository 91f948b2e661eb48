#pragma once

#include "clock/link.hpp"
#include "journal/records.hpp"

namespace fathom::journal {

/// The journal records how far a rank's clock is ahead of rank 0's; a link from the own to the global clock
/// says the opposite.
inline void set_link(ClockSync& sync, const clock::Link& own_to_global) {
    const auto ahead = clock::Link{.at = own_to_global.at,
                                   .offset = clock::checked_difference({0}, own_to_global.offset),
                                   .low = clock::checked_difference({0}, own_to_global.high),
                                   .high = clock::checked_difference({0}, own_to_global.low)};
    sync.at_ns = ahead.at.count;
    sync.offset_ns = ahead.offset.count;
    sync.low_ns = ahead.low.count;
    sync.high_ns = ahead.high.count;
}

inline clock::Link own_to_global(const ClockSync& sync) {
    return {.at = {sync.at_ns},
            .offset = clock::checked_difference({0}, {sync.offset_ns}),
            .low = clock::checked_difference({0}, {sync.high_ns}),
            .high = clock::checked_difference({0}, {sync.low_ns})};
}

}  // namespace fathom::journal
