#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stats/distributions/histogram.hpp"

namespace fathom::analysis {

/// No clock in use has steps longer than this; heaps further apart are heaps.
inline constexpr double longest_tick_ns = 100;

/// With fewer times, there are neither modes nor fits.
inline constexpr std::size_t least_times_for_modes = 20;

/// A peak of a density, and what belongs to it.
struct Mode {
    double at_ns = 0;    ///< of the peak
    double share = 0;    ///< of the times, between the valleys beside it
    double from_ns = 0;  ///< the valleys, or the ends
    double to_ns = 0;
};

struct FitParameter {
    std::string name;  ///< with its unit: mean_ns, sigma, shift_ns, shape, scale_ns
    double value = 0;
};

/// A family of distributions with the parameters that suit the times best.
struct Fit {
    std::string family;  ///< normal, log-normal, shifted log-normal, gamma
    std::vector<FitParameter> parameters;
    double criterion = 0;  ///< the smaller, the better; see docs/method.md
    double distance = 0;   ///< largest between its and the empirical distribution function, from 0 to 1
    /// Whether it fits as well as times of that family would; nothing if there are too few independent ones
    /// to say.
    std::optional<bool> good;
};

struct DensityPoint {
    double at_ns = 0;
    double density = 0;  ///< share by nanosecond
};

struct StepPoint {
    double at_ns = 0;
    double share = 0;  ///< of the times at or below
};

/// How times spread.
struct Distribution {
    std::size_t count = 0;
    stats::Histogram linear;            ///< bins of one width
    stats::Histogram logarithmic;       ///< bins of one width in log10 of the time; no times of 0 in it
    std::vector<StepPoint> steps;       ///< the empirical distribution function, thinned evenly in share
    std::vector<DensityPoint> density;  ///< kernel density
    std::vector<Mode> modes;            ///< by place
    double body_to_ns = 0;              ///< fits are of the times up to here
    double body_share = 1;              ///< of the times
    double effective_sample_size = 0;
    double tick_ns = 0;     ///< the step of the clock where it shows, else 0
    std::vector<Fit> fits;  ///< the best first
};

/// Where linear bins of sorted times end: at the last one, unless some far away would leave the others a bin
/// or two.
double end_of_linear_bins(std::span<const double> sorted);

/// Of times in order. Fewer than 20 have no modes and no fits. Without
/// `sample_size`, the effective sample size is estimated from their order.
Distribution distribution_of(std::span<const double> in_order, const std::optional<double>& sample_size = {});

}  // namespace fathom::analysis
