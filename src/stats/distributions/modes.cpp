#include "stats/distributions/modes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <boost/math/constants/constants.hpp>

namespace fathom::stats {
namespace {

/// Grid points between two valleys.
struct Hill {
    std::size_t peak;
    std::size_t from;
    std::size_t to;
    double share = 0;  ///< of the values
};

std::vector<Hill> hills_of(const std::vector<double>& density) {
    std::vector<Hill> hills;
    std::size_t from = 0;
    std::size_t peak = 0;
    bool down = false;
    std::size_t lowest = 0;
    for (std::size_t i = 1; i < density.size(); ++i) {
        if (density[i] < density[i - 1]) {
            down = true;
            lowest = i;
        } else if (density[i] > density[i - 1]) {
            if (down) {
                // The valley may be flat: its middle parts the two.
                const auto valley = lowest + (i - 1 - lowest) / 2;
                hills.push_back({.peak = peak, .from = from, .to = valley});
                from = valley;
                down = false;
                peak = i;
            }
            peak = density[i] > density[peak] ? i : peak;
        }
    }
    hills.push_back({.peak = peak, .from = from, .to = density.size() - 1});
    return hills;
}

/// The values below a place of the grid.
double count_below(const KernelDensity& density, std::span<const double> sorted, std::size_t i) {
    return static_cast<double>(std::lower_bound(sorted.begin(), sorted.end(), density.at(i)) -
                               sorted.begin());
}

class Chance {
  public:
    Chance(const KernelDensity& density, std::span<const double> sorted, double sample_size)
        : density_(density), sorted_(sorted), weight_(sample_size / static_cast<double>(sorted.size())) {}

    /// Whether a hill stands out from a valley beside it: whether its upper half holds more values than it
    /// would were it as low as the valley, by 3.5 standard errors.
    [[nodiscard]] bool stands_out(const Hill& hill, std::size_t valley) const {
        constexpr double errors = 3.5;
        constexpr double higher = 1.1;
        constexpr double least_share = 0.01;
        const double top = density_.density[hill.peak];
        const double bottom = density_.density[valley];
        if (top < higher * bottom || hill.share < least_share) {
            return false;
        }
        const auto [from, to] = upper_half(hill, (top + bottom) / 2);
        // Values that came in two long stretches amount to two, but what lies apart lies apart.
        constexpr double deep = 0.2;
        constexpr double many = 0.05;
        const double weight = bottom < deep * top && hill.share >= many ? 1 : weight_;
        const double held =
            weight * (count_below(density_, sorted_, to) - count_below(density_, sorted_, from));
        const double n = weight * static_cast<double>(sorted_.size());
        const double width = density_.step * static_cast<double>(to - from);
        const double flat = n * width * bottom;
        // The valley is known no better than the density is: its variance is f R / (n h), with R = 1 / (2
        // sqrt pi) for a Gaussian kernel.
        const double unsure =
            n * width * width * bottom / (2 * boost::math::constants::root_pi<double>() * density_.bandwidth);
        return held - flat > errors * std::sqrt(held + flat + unsure);
    }

  private:
    [[nodiscard]] std::pair<std::size_t, std::size_t> upper_half(const Hill& hill, double height) const {
        std::size_t from = hill.peak;
        std::size_t to = hill.peak;
        while (from > hill.from && density_.density[from - 1] >= height) {
            --from;
        }
        while (to < hill.to && density_.density[to + 1] >= height) {
            ++to;
        }
        return {from, to};
    }

    const KernelDensity& density_;
    std::span<const double> sorted_;
    double weight_;
};

void count(std::vector<Hill>& hills, const KernelDensity& density, std::span<const double> sorted) {
    for (auto& hill : hills) {
        const double held = count_below(density, sorted, hill.to) - count_below(density, sorted, hill.from);
        hill.share = held / static_cast<double>(sorted.size());
    }
}

/// The hill that stands out least, if one does not: chance made it, or it is a shoulder of its neighbour.
std::optional<std::size_t> weakest(const std::vector<Hill>& hills, const Chance& chance,
                                   const std::vector<double>& density) {
    std::optional<std::size_t> found;
    double least = 0;
    for (std::size_t i = 0; i < hills.size() && hills.size() > 1; ++i) {
        const bool first = i == 0;
        const bool last = i + 1 == hills.size();
        const auto higher = [&](std::size_t a, std::size_t b) { return density[a] > density[b] ? a : b; };
        const auto valley = first ? hills[i].to : last ? hills[i].from : higher(hills[i].from, hills[i].to);
        const double height = density[hills[i].peak] - density[valley];
        if (!chance.stands_out(hills[i], valley) && (!found || height < least)) {
            found = i;
            least = height;
        }
    }
    return found;
}

/// Joins a hill with the neighbour behind its higher valley.
void join(std::vector<Hill>& hills, std::size_t i, const std::vector<double>& density) {
    const bool left = i > 0 && (i + 1 == hills.size() || density[hills[i].from] >= density[hills[i].to]);
    const auto a = left ? i - 1 : i;
    auto& kept = hills[a];
    const auto& other = hills[a + 1];
    kept.peak = density[other.peak] > density[kept.peak] ? other.peak : kept.peak;
    kept.to = other.to;
    kept.share += other.share;
    hills.erase(hills.begin() + static_cast<std::ptrdiff_t>(a) + 1);
}

}  // namespace

std::vector<Peak> peaks_of(const KernelDensity& density, std::span<const double> sorted, double sample_size) {
    if (density.density.empty()) {
        return {{.at = sorted.front(), .from = sorted.front(), .to = sorted.back(), .share = 1}};
    }
    auto hills = hills_of(density.density);
    count(hills, density, sorted);
    const Chance chance(density, sorted, sample_size);
    while (const auto i = weakest(hills, chance, density.density)) {
        join(hills, *i, density.density);
    }
    std::vector<Peak> peaks;
    for (std::size_t i = 0; i < hills.size(); ++i) {
        peaks.push_back({.at = density.at(hills[i].peak),
                         .from = i == 0 ? sorted.front() : density.at(hills[i].from),
                         .to = i + 1 == hills.size() ? sorted.back() : density.at(hills[i].to),
                         .share = hills[i].share});
    }
    return peaks;
}

}  // namespace fathom::stats
