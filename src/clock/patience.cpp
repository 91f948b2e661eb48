#include "clock/patience.hpp"

#include <algorithm>
#include <random>

namespace fathom::clock {

std::vector<PatienceResult> simulate_patience(std::span<const std::int64_t> round_trips_ns,
                                              std::span<const int> patiences, int trials,
                                              std::uint64_t seed) {
    std::vector<PatienceResult> results;
    if (round_trips_ns.empty()) {
        return results;
    }
    const auto truth = static_cast<double>(*std::min_element(round_trips_ns.begin(), round_trips_ns.end()));
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<std::size_t> any(0, round_trips_ns.size() - 1);
    for (const int patience : patiences) {
        double excess = 0;
        double pings = 0;
        for (int trial = 0; trial < trials; ++trial) {
            auto best = round_trips_ns[any(random)];
            std::int64_t count = 1;
            for (int since = 0; since < patience; ++count) {
                const auto next = round_trips_ns[any(random)];
                since = next < best ? 0 : since + 1;
                best = std::min(best, next);
            }
            excess += static_cast<double>(best) - truth;
            pings += static_cast<double>(count);
        }
        excess /= trials;
        results.push_back({.patience = patience,
                           .excess_percent = truth > 0 ? 100 * excess / truth : 0,
                           .excess_ns = excess,
                           .pings = pings / trials});
    }
    return results;
}

namespace {

constexpr double worth_percent = 1;

}  // namespace

int recommended_patience(std::span<const PatienceResult> results) {
    const auto good = std::find_if(results.begin(), results.end(), [](const auto& result) {
        return result.excess_percent <= good_excess_percent;
    });
    if (good != results.end()) {
        return good->patience;
    }
    for (const auto& result : results) {
        const auto twice = std::find_if(results.begin(), results.end(), [&](const auto& other) {
            return other.patience >= 2 * result.patience;
        });
        if (twice == results.end() || result.excess_percent - twice->excess_percent < worth_percent) {
            return result.patience;
        }
    }
    return 0;
}

}  // namespace fathom::clock
