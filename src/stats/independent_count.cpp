#include "stats/independent_count.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <boost/math/constants/constants.hpp>

#include "stats/student.hpp"

namespace fathom::stats {
namespace {

using Sides = std::vector<std::int32_t>;

/// Sums of correlations go this far; what is correlated over more places is looked at in coarser steps.
constexpr std::size_t most_lags = 64;
constexpr std::size_t coarser = 8;
constexpr std::size_t enough_blocks = 50;
/// In fewer values chance and correlation look alike.
constexpr std::size_t enough = 14;

/// Products of values `lag` places apart, on average, less what their mean makes.
double covariance(const Sides& sides, double mean, std::size_t lag) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i + lag < sides.size(); ++i) {
        sum += static_cast<std::int64_t>(sides[i]) * sides[i + lag];
    }
    const auto n = static_cast<double>(sides.size());
    return static_cast<double>(sum) / n - mean * mean * (1 - static_cast<double>(lag) / n);
}

double mean_of(const Sides& sides) {
    std::int64_t sum = 0;
    for (const auto side : sides) {
        sum += side;
    }
    return static_cast<double>(sum) / static_cast<double>(sides.size());
}

struct Memory {
    double factor = 1;  ///< 1 + 2 sum r_k: as many values are worth one
    double lags = 0;    ///< as far as the sum went
    bool ended = true;  ///< false: there is more beyond
};

/// Sums of two neighbouring correlations of a reversible chain are positive and fall: the sum ends where they
/// are lost in chance, and none counts for more than the one before.
Memory memory_of(const Sides& sides, double mean, double variance) {
    const double chance = std::sqrt(2 / static_cast<double>(sides.size()));
    const auto furthest = std::min(most_lags, sides.size() / 3);
    Memory memory{.factor = -1, .lags = 0, .ended = false};
    double last = std::numeric_limits<double>::infinity();
    for (std::size_t lag = 0; lag + 1 <= furthest; lag += 2) {
        const double two = (covariance(sides, mean, lag) + covariance(sides, mean, lag + 1)) / variance;
        if (two <= (lag == 0 ? 0 : chance)) {
            memory.ended = true;
            break;
        }
        last = std::min(last, two);
        memory.factor += 2 * last;
        memory.lags = static_cast<double>(lag + 1);
    }
    return memory;
}

Sides sums_of_blocks(const Sides& sides) {
    Sides sums(sides.size() / coarser, 0);
    for (std::size_t i = 0; i < sums.size() * coarser; ++i) {
        sums[i / coarser] += sides[i];
    }
    return sums;
}

/// Of blocks of values where values alone are alike over too many places: what is asked for is the variance
/// of the mean of all, and the mean of blocks is the same.
Memory whole_memory_of(Sides sides) {
    double factor = 1;
    double step = 1;
    while (true) {
        const double mean = mean_of(sides);
        const double variance = covariance(sides, mean, 0);
        if (variance <= 0) {
            return {.factor = factor, .lags = 0};
        }
        const auto memory = memory_of(sides, mean, variance);
        if (memory.ended || sides.size() / coarser < enough_blocks) {
            return {.factor = factor * memory.factor, .lags = step * memory.lags};
        }
        sides = sums_of_blocks(sides);
        factor *= covariance(sides, mean_of(sides), 0) / (static_cast<double>(coarser) * variance);
        step *= static_cast<double>(coarser);
    }
}

/// By how much neighbours resemble each other.
double likeness(const Sides& sides) {
    const double mean = mean_of(sides);
    const double variance = covariance(sides, mean, 0);
    return variance > 0 ? covariance(sides, mean, 1) / variance : 0;
}

/// Whether neighbours in a short series resemble each other so little that correcting for it would only make
/// the interval too wide.
bool short_and_unlike(const Sides& sides) {
    constexpr std::size_t short_series = 50;
    constexpr double part_of_chance = 0.3;
    return sides.size() < short_series &&
           likeness(sides) <= part_of_chance / std::sqrt(static_cast<double>(sides.size()));
}

/// The factor of a chain in which a value depends on the one before it and no other, as a normal one would:
/// in short series the sum of correlations ends before it has them all. 1 if neighbours do not resemble each
/// other.
double chain_factor(const Sides& sides) {
    const auto n = static_cast<double>(sides.size());
    double alike = likeness(sides);
    if (alike <= 1 / std::sqrt(n)) {
        return 1;
    }
    constexpr double most = 0.98;
    constexpr double least = 1e-4;
    alike = std::min(most, alike + (1 + 3 * alike) / n);  // around their own mean they look less alike
    // Sides of the median resemble each other by 2 / pi times the arc sine of what their values do.
    using namespace boost::math::double_constants;
    const double of_values = std::sin(half_pi * alike);
    double factor = 1;
    for (double of_lag = of_values; of_lag > least; of_lag *= of_values) {
        factor += 2 * std::asin(of_lag) / half_pi;
    }
    return factor;
}

/// Student's quantile against the normal one, squared: what an estimate of a variance costs.
double price_of(double degrees) {
    constexpr double least_degrees = 2;
    const double ratio = student_factor(std::max(least_degrees, degrees)) / normal_factor;
    return ratio * ratio;
}

}  // namespace

double independent_count(std::span<const double> in_order, double threshold) {
    const auto n = static_cast<double>(in_order.size());
    if (in_order.size() < enough) {
        return n;
    }
    Sides sides;
    sides.reserve(in_order.size());
    for (const double value : in_order) {
        sides.push_back(value > threshold ? 1 : value < threshold ? -1 : 0);
    }
    if (short_and_unlike(sides)) {
        return n;
    }
    const double chain = chain_factor(sides);
    auto memory = whole_memory_of(std::move(sides));
    memory.factor = std::max(memory.factor, chain);
    if (memory.factor <= 1) {
        return n;
    }
    // Around their own mean values look less alike than they are, by as much as the sum is long.
    constexpr double most_lost = 0.5;
    const double summed = (2 * memory.lags + 1) / n;
    const double factor = memory.factor / (1 - std::min(most_lost, summed));
    return n / (factor + (price_of(1 / summed) - 1) * (factor - 1));
}

}  // namespace fathom::stats
