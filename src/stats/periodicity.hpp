#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace fathom::stats {

/// A period that moments recur with.
struct Period {
    double length = 0;       ///< in the unit of the moments
    double strength = 0;     ///< length of their mean direction on a circle of one period: 0 to 1
    std::size_t cycles = 0;  ///< in the time observed
    double hit_share = 0;    ///< of the cycles, those with a moment
    double p_value = 1;      ///< that moments without a period look as periodic, over all periods tried
};

/// The period of moments that were noticed within a time of observation, in rising order; nothing unless
/// chance is ruled out (at 0.1 %), there are 8 cycles or more, and most cycles have a moment: bursts recur
/// with nothing. Rayleigh's test over all frequencies that the observation tells apart (Lewis, MNRAS 268,
/// 1994). Periods below `shortest` are not looked for: a series that is sampled cannot show them.
std::optional<Period> period_of(std::span<const double> moments, double observed, double shortest);

}  // namespace fathom::stats
