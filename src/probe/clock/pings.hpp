#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "clock/pair_estimator.hpp"
#include "probe/interfaces/clock.hpp"
#include "probe/interfaces/group.hpp"

namespace fathom::probe {

/// How pings are exchanged.
struct PingRules {
    int patience = 100;         ///< stop when the smallest round trip has not improved for this many in a row
    int most = 10'000;          ///< stop after this many anyway
    Nanoseconds resolution{1};  ///< of the coarser of the two clocks
    Nanoseconds answer_within{10'000'000'000};  ///< a rank that does not answer for longer is considered dead
};

/// Throws NotMeasured that names the ranks that did not answer.
[[noreturn]] void complain_of_silence(std::span<const int> ranks, Nanoseconds waited);

/// Pings a server until the smallest round trip has settled, and signals the end. The server must
/// be in answer(). Throws NotMeasured if it does not answer or a clock cannot be relied on. Appends every
/// round trip to `round_trips_ns` if there is one.
clock::Sounding ask(Group& group, const Clock& clock, int server, const PingRules& rules,
                    std::vector<std::int64_t>* round_trips_ns = nullptr);

/// Answers the pings of several clients, in order of arrival, until each has signalled the end.
void answer(Group& group, const Clock& clock, std::span<const int> clients, const PingRules& rules);

}  // namespace fathom::probe
