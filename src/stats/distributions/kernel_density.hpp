#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fathom::stats {

/// A kernel density on an even grid.
struct KernelDensity {
    double low = 0;   ///< of the grid
    double step = 0;  ///< between its points; 0: there is no density, all values are the same
    double bandwidth = 0;
    std::vector<double> density;  ///< at low, low + step, ...: share by unit

    [[nodiscard]] double at(std::size_t i) const { return low + step * static_cast<double>(i); }
};

/// The spread of most values, as the deviation of a normal distribution: by the shortest interval that holds
/// a quarter, that which holds half, or all of them, whatever is least. Several heaps far apart do not
/// enlarge it. The values are sorted; 0 if most are equal.
double narrow_deviation(std::span<const double> sorted);

/// How far apart values are that a clock can tell apart: of each value the larger of the distances to its two
/// neighbours that differ, and of these the one in the middle. 0 where most values are alone, or all the
/// same.
double tick_of(std::span<const double> sorted);

/// With a Gaussian kernel of bandwidth 0.9 s n^(-1/5) (Silverman's rule, s being narrow_deviation and n the
/// effective sample size), but at least `least_bandwidth`. The values are sorted.
KernelDensity kernel_density(std::span<const double> sorted, double sample_size, double least_bandwidth);

}  // namespace fathom::stats
