#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "clock/link.hpp"

namespace fathom::clock {

/// A straight line through offsets against time.
struct DriftFit {
    Nanoseconds origin;      ///< near clock, the weighted mean of the measured times
    double offset_ns = 0;    ///< at the origin
    double slope = 0;        ///< change of offset per time; 1e-6 is 1 ppm
    double slope_error = 0;  ///< standard error of the slope
    double residual_ns = 0;  ///< standard deviation of what the line leaves
    double weight = 0;       ///< sum of weights
    double spread_ns2 = 0;   ///< weighted sum of squared distances from the origin
    std::size_t count = 0;

    [[nodiscard]] double slope_ppm() const { return slope * 1e6; }
    [[nodiscard]] double slope_error_ppm() const { return slope_error * 1e6; }
    [[nodiscard]] double offset_at(Nanoseconds time) const;
    /// Standard error of the line at a time: grows with the distance from what was measured. 0 if there were
    /// only two offsets, which leave no rest to judge by.
    [[nodiscard]] double error_at(Nanoseconds time) const;
    /// Half of the 95 % interval of the line at a time (Student's t); infinite with two offsets.
    [[nodiscard]] double half_interval_at(Nanoseconds time) const;
};

/// Least squares, each offset weighted by the inverse square of its bound. Needs two offsets at different
/// times.
std::optional<DriftFit> fit_drift(std::span<const Link> links);

/// Whether some straight line passes between the hard bounds of all offsets. If not, the clocks did not drift
/// evenly: a frequency step, a slew or a jump happened, whatever the scatter.
bool steady_drift_possible(std::span<const Link> links);

}  // namespace fathom::clock
