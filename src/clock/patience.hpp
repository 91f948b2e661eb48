#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fathom::clock {

/// What waiting for N pings without improvement gains, on measured round trips.
struct PatienceResult {
    int patience = 0;           ///< N
    double excess_percent = 0;  ///< quality: mean distance of the minimum found from the true one
    double excess_ns = 0;       ///< the same as a time
    double pings = 0;           ///< cost: mean number of pings until it stopped
};

/// For each N: synchronisations are imitated by drawing round trips at random until the smallest has not
/// improved N times in a row, `trials` times over.
std::vector<PatienceResult> simulate_patience(std::span<const std::int64_t> round_trips_ns,
                                              std::span<const int> patiences, int trials, std::uint64_t seed);

/// A mean distance from the true minimum that is good enough.
inline constexpr double good_excess_percent = 5;

/// The smallest N that ends within 5 % of the true minimum on average; if none does, the smallest after which
/// doubling N gains less than 1 %. `results` are in the order of N.
int recommended_patience(std::span<const PatienceResult> results);

}  // namespace fathom::clock
