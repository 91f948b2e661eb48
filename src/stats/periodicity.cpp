#include "stats/periodicity.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <set>
#include <vector>

namespace fathom::stats {
namespace {

/// Rayleigh's power, n times the squared length of the mean direction: exponential with mean 1 by chance.
class RayleighScan {
  public:
    RayleighScan(std::span<const double> moments, double first, double step) {
        for (const double moment : moments) {
            direction_.push_back(std::polar(1.0, 2 * std::numbers::pi * first * moment));
            turn_.push_back(std::polar(1.0, 2 * std::numbers::pi * step * moment));
        }
    }

    /// At the present frequency; goes on to the next.
    double next() {
        std::complex<double> sum = 0;
        for (std::size_t i = 0; i < direction_.size(); ++i) {
            sum += direction_[i];
            direction_[i] *= turn_[i];
        }
        return std::norm(sum) / static_cast<double>(direction_.size());
    }

  private:
    std::vector<std::complex<double>> direction_;
    std::vector<std::complex<double>> turn_;
};

/// Of the cycles, how many have a moment.
double hit_share(std::span<const double> moments, double length, std::size_t cycles) {
    // The circle is cut opposite to the mean direction, so that moments near the cut do not fall on both
    // sides.
    std::complex<double> sum = 0;
    for (const double moment : moments) {
        sum += std::polar(1.0, 2 * std::numbers::pi * moment / length);
    }
    const double phase = std::arg(sum) / (2 * std::numbers::pi);
    std::set<long long> hit;
    for (const double moment : moments) {
        hit.insert(std::llround(moment / length - phase));
    }
    return std::min(1.0, static_cast<double>(hit.size()) / static_cast<double>(cycles));
}

}  // namespace

std::optional<Period> period_of(std::span<const double> moments, double observed, double shortest) {
    constexpr double level = 1e-3;
    constexpr std::size_t least_cycles = 8;
    constexpr std::size_t most_moments = 2'000;
    constexpr double least_hits = 0.5;
    constexpr double steps_by_width = 5;  // frequencies within the width of a peak, 1 / observed
    constexpr double as_strong = 0.8;
    if (moments.size() < least_cycles || !(observed > 0) || !(shortest > 0)) {
        return std::nullopt;
    }
    moments = moments.first(std::min(moments.size(), most_moments));
    if (moments.size() == most_moments) {
        observed = std::min(observed, moments.back() - moments.front());
    }
    std::vector<double> since;
    for (const double moment : moments) {
        since.push_back(moment - moments.front());
    }
    // With less than half of its cycles hit a frequency is not taken, so that none beyond this is needed.
    const auto count = static_cast<double>(moments.size());
    const double lowest = static_cast<double>(least_cycles) / observed;
    const double highest = std::min(count / least_hits / observed, 1 / (2 * shortest));
    if (highest <= lowest) {
        return std::nullopt;
    }
    const double step = 1 / (steps_by_width * observed);
    const auto frequencies = static_cast<std::size_t>((highest - lowest) / step) + 1;
    RayleighScan scan(since, lowest, step);
    std::vector<double> powers;
    powers.reserve(frequencies);
    for (std::size_t i = 0; i < frequencies; ++i) {
        powers.push_back(scan.next());
    }
    // Sharp pulses are as strong at multiples of their frequency: the lowest one is that of the pulses.
    const double strongest = *std::max_element(powers.begin(), powers.end());
    const auto strong =
        static_cast<std::size_t>(std::find_if(powers.begin(), powers.end(),
                                              [&](double power) { return power >= as_strong * strongest; }) -
                                 powers.begin());
    auto best = strong;
    while (best + 1 < frequencies && powers[best + 1] > powers[best]) {
        ++best;
    }
    const double frequency = lowest + step * static_cast<double>(best);
    Period period{.length = 1 / frequency, .strength = std::sqrt(powers[best] / count)};
    period.cycles = static_cast<std::size_t>(observed * frequency);
    period.hit_share = hit_share(since, period.length, std::max<std::size_t>(1, period.cycles));
    period.p_value = std::min(1.0, static_cast<double>(frequencies) * std::exp(-powers[best]));
    if (period.p_value > level || period.hit_share < least_hits) {
        return std::nullopt;
    }
    return period;
}

}  // namespace fathom::stats
