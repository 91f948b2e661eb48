#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fathom::stats {

/// Values over the x that several series share, each with the deviation from a line that is still tolerable.
struct ToleratedSeries {
    std::vector<double> values;
    std::vector<double> tolerances;  ///< above 0
};

/// Cuts rising x into stretches, in each of which every series is about a line: as few as the tolerances
/// allow, none with fewer than `least` places. Returns where each stretch ends (one past its last place), the
/// last end being x.size(). Fewer than 2 * `least` places are one stretch.
std::vector<std::size_t> line_segments(std::span<const double> x, std::span<const ToleratedSeries> series,
                                       std::size_t least);

}  // namespace fathom::stats
