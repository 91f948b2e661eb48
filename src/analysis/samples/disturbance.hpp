#pragma once

#include <span>
#include <vector>

#include "analysis/samples/global_time.hpp"
#include "journal/records.hpp"

namespace fathom::analysis {

/// A time during which ranks were preempted.
struct DisturbedTime {
    Nanoseconds begin;  ///< on the global clock
    Nanoseconds end;
    int rank = 0;      ///< the one that waited longest
    double share = 0;  ///< of the time that it waited

    friend bool operator==(const DisturbedTime&, const DisturbedTime&) = default;
};

/// The ranks' observations, merged: adjacent stretches become one, and those too short to matter are left
/// out.
std::vector<DisturbedTime> disturbed_times(std::span<const journal::Disturbance> noticed,
                                           const GlobalTime& clock);

}  // namespace fathom::analysis
