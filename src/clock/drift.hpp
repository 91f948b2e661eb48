#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "clock/link.hpp"

namespace fathom::clock {

/// Hard bounds on how fast an offset changes: per time, 1e-6 is 1 ppm.
struct SlopeRange {
    double low = 0;
    double high = 0;

    /// Anything within the drift limit.
    static SlopeRange any() { return {-drift_limit_ppm * 1e-6, drift_limit_ppm * 1e-6}; }
    /// What both allow; if they contradict each other, this one.
    [[nodiscard]] SlopeRange within(const SlopeRange& other) const;
    [[nodiscard]] double middle() const { return (low + high) / 2; }
    [[nodiscard]] double half_width() const { return (high - low) / 2; }
};

/// From the hard bounds of two offsets, and the drift limit.
SlopeRange slope_range(const Link& earlier, const Link& later);

/// A straight line through offsets against time.
struct DriftFit {
    Nanoseconds origin;      ///< near clock, the weighted mean of the measured times
    Nanoseconds base;        ///< an offset from which offset_ns counts, so that large ones lose nothing
    double offset_ns = 0;    ///< at the origin, beyond base
    double slope = 0;        ///< change of offset per time; 1e-6 is 1 ppm
    double slope_error = 0;  ///< standard error of the slope
    double residual_ns = 0;  ///< standard deviation of what the line leaves
    double weight = 0;       ///< sum of weights
    double spread_ns2 = 0;   ///< weighted sum of squared distances from the origin
    std::size_t count = 0;

    [[nodiscard]] double slope_ppm() const { return slope * 1e6; }
    [[nodiscard]] double slope_error_ppm() const { return slope_error * 1e6; }
    [[nodiscard]] Nanoseconds offset_at(Nanoseconds time) const;
    /// How far an offset lies above the line.
    [[nodiscard]] double rest_of(const Link& link) const;
    /// Standard error of the line at a time: grows with the distance from what was measured. 0 if there were
    /// only two offsets, which leave no residual.
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

/// The residual test: whether the slope of the second half of the offsets differs from the first half's by
/// more than six of its standard errors. Finds changes that hide within the hard bounds; needs twelve
/// offsets.
bool slope_changed(std::span<const Link> links);

}  // namespace fathom::clock
