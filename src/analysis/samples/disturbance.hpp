#pragma once

#include <span>
#include <vector>

#include "analysis/samples/evidence.hpp"
#include "analysis/samples/global_time.hpp"
#include "analysis/samples/repetitions.hpp"
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

/// Which repetitions a preemption may have touched, one by one: in launches with a disturbed time, those
/// around which a rank counted one, or, where nothing was counted, those within a disturbed time. Without a
/// clock, all of such a launch.
std::vector<bool> disturbed_repetitions(const Repetitions& repetitions, const Evidence& evidence,
                                        const std::vector<Stretch>& disturbed);

}  // namespace fathom::analysis
