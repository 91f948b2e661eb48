#pragma once

#include <cstddef>
#include <vector>

#include "analysis/across_runs/measured_run.hpp"
#include "stats/comparison/bootstrap.hpp"

namespace fathom::analysis {

/// The launches of a point in two runs, as a comparison needs them.
struct ComparedLaunches {
    stats::RunSample first;
    stats::RunSample second;
};

/// Disturbed repetitions are left out. Those that one run has significantly beyond the share of the other one
/// may have taken anything: they are the ones that its launches count as set aside. The kernel interrupts
/// slow ones as it does fast ones, so what both runs lose hides no difference between them; but what one
/// loses beyond that may be its own doing. Nothing is known of launches that were wholly disturbed. Simulated
/// times are exact, and equal ones are equal.
ComparedLaunches compared_launches(const std::vector<LaunchTimes>& first, bool first_simulated,
                                   const std::vector<LaunchTimes>& second, bool second_simulated);

/// How many launches a run lost to disturbance significantly beyond the share of the other run: they may have
/// taken anything, as repetitions may.
std::size_t launches_dropped_beyond(const LaunchCounts& own, const LaunchCounts& other);

/// Which share of a run's repetitions was disturbed.
double share_disturbed(const std::vector<LaunchTimes>& launches);

/// How many repetitions of a run were disturbed.
std::size_t count_disturbed(const std::vector<LaunchTimes>& launches);

}  // namespace fathom::analysis
