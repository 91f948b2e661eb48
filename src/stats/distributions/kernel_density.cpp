#include "stats/distributions/kernel_density.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/normal.hpp>

#include "stats/mean.hpp"

namespace fathom::stats {
namespace {

/// Kernels end here; what lies beyond is a few millionths.
constexpr double reach = 4.5;
constexpr double steps_by_bandwidth = 4;
constexpr double most_steps = 65'536;

/// The shortest interval that holds this share of the values.
double shortest(std::span<const double> sorted, double share) {
    const auto n = sorted.size();
    const auto held = std::max<std::size_t>(2, static_cast<std::size_t>(share * static_cast<double>(n)));
    if (n < 2) {
        return 0;
    }
    double least = sorted.back() - sorted.front();
    for (std::size_t i = 0; i + held <= n; ++i) {
        least = std::min(least, sorted[i + held - 1] - sorted[i]);
    }
    return least;
}

double deviation_of(std::span<const double> values) {
    const double centre = mean(values);
    double squares = 0;
    for (const double value : values) {
        squares += (value - centre) * (value - centre);
    }
    return std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, values.size() - 1)));
}

/// Counts on the grid, each value shared out to the two points beside it.
std::vector<double> counts_of(std::span<const double> sorted, double low, double step, std::size_t points) {
    std::vector<double> counts(points, 0);
    for (const double value : sorted) {
        const double place = (value - low) / step;
        const auto below = std::min(static_cast<std::size_t>(place), points - 2);
        const double share = place - static_cast<double>(below);
        counts[below] += 1 - share;
        counts[below + 1] += share;
    }
    return counts;
}

void spread(const std::vector<double>& counts, KernelDensity& made, double n) {
    const auto half = static_cast<std::size_t>(std::ceil(reach * made.bandwidth / made.step));
    std::vector<double> kernel(half + 1);
    for (std::size_t i = 0; i <= half; ++i) {
        const double x = static_cast<double>(i) * made.step / made.bandwidth;
        kernel[i] =
            std::exp(-x * x / 2) / (made.bandwidth * n * boost::math::constants::root_two_pi<double>());
    }
    made.density.assign(counts.size(), 0);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] == 0) {
            continue;
        }
        const auto first = i > half ? i - half : 0;
        const auto last = std::min(counts.size() - 1, i + half);
        for (std::size_t j = first; j <= last; ++j) {
            made.density[j] += counts[i] * kernel[j > i ? j - i : i - j];
        }
    }
}

}  // namespace

double narrow_deviation(std::span<const double> sorted) {
    // The larger ones count where most values are equal.
    constexpr std::array shares{0.25, 0.5, 0.75, 0.9};
    constexpr std::size_t usual = 2;
    if (sorted.size() < 2) {
        return 0;
    }
    const double all = deviation_of(sorted);
    double least = all;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        // Between these quantiles of a normal distribution so many of its values lie.
        const double width = 2 * boost::math::quantile(boost::math::normal(), (1 + shares[i]) / 2);
        const double by = shortest(sorted, shares[i]) / width;
        if (by > 0 && (i < usual || least == all)) {
            least = std::min(least, by);
        }
    }
    return least;
}

double tick_of(std::span<const double> sorted) {
    struct Heap {
        double value;
        std::size_t count;
    };
    std::vector<Heap> heaps;
    for (const double value : sorted) {
        if (heaps.empty() || value != heaps.back().value) {
            heaps.push_back({value, 0});
        }
        ++heaps.back().count;
    }
    // Values that hardly ever are equal do not show the step of their clock.
    if (heaps.size() < 2 || 2 * heaps.size() > sorted.size()) {
        return 0;
    }
    std::vector<Heap> gaps;
    for (std::size_t i = 0; i < heaps.size(); ++i) {
        const double below = i > 0 ? heaps[i].value - heaps[i - 1].value : 0;
        const double above = i + 1 < heaps.size() ? heaps[i + 1].value - heaps[i].value : 0;
        gaps.push_back({std::max(below, above), heaps[i].count});
    }
    std::sort(gaps.begin(), gaps.end(), [](const Heap& a, const Heap& b) { return a.value < b.value; });
    std::size_t seen = 0;
    for (const auto& gap : gaps) {
        seen += gap.count;
        if (2 * seen >= sorted.size()) {
            return gap.value;
        }
    }
    return gaps.back().value;
}

KernelDensity kernel_density(std::span<const double> sorted, double sample_size, double least_bandwidth) {
    KernelDensity made;
    if (sorted.empty() || sorted.front() == sorted.back()) {
        return made;
    }
    const double range = sorted.back() - sorted.front();
    constexpr double rule = 0.9;
    constexpr double power = -0.2;
    made.bandwidth = std::max({rule * narrow_deviation(sorted) * std::pow(std::max(1.0, sample_size), power),
                               least_bandwidth, steps_by_bandwidth * range / most_steps});
    made.step = made.bandwidth / steps_by_bandwidth;
    const double beyond = reach * made.bandwidth;
    made.low = sorted.front() - beyond;
    const auto points = static_cast<std::size_t>((range + 2 * beyond) / made.step) + 2;
    spread(counts_of(sorted, made.low, made.step, points), made, static_cast<double>(sorted.size()));
    return made;
}

}  // namespace fathom::stats
