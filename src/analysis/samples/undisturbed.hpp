#pragma once

#include <cstdint>
#include <vector>

#include "analysis/samples/evidence.hpp"
#include "analysis/samples/repetitions.hpp"

namespace fathom::analysis {

/// Of each of the times, whether a rank was preempted meanwhile: the repetition overlaps a stretch between
/// two readings of the counters in which that was counted. It depends on what the kernel counted alone, never
/// on how long the repetition took. Without the global clock there is none.
std::vector<bool> preempted(const Repetitions& repetitions, const Evidence& evidence);

/// The repetitions without those marked; the number marked is added to `set_aside`.
Repetitions without(const Repetitions& repetitions, const std::vector<bool>& marked);

}  // namespace fathom::analysis
