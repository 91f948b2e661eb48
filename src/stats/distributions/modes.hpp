#pragma once

#include <span>
#include <vector>

#include "stats/distributions/kernel_density.hpp"

namespace fathom::stats {

/// A peak of a density with the valleys beside it, or the ends.
struct Peak {
    double at = 0;
    double from = 0;
    double to = 0;
    double share = 0;  ///< of the values between them
};

/// The peaks of a density that chance does not make, by place; one at least. `sorted` are the values it is
/// of, with this effective sample size. A peak needs three things: to be a tenth higher than the higher of
/// its two valleys, more values in its upper half, by 3.5 standard errors, than there would be were it as low
/// as that valley, and 1 % of all values.
std::vector<Peak> peaks_of(const KernelDensity& density, std::span<const double> sorted, double sample_size);

}  // namespace fathom::stats
