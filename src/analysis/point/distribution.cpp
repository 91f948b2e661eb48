#include "analysis/point/distribution.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/point/outlier_fence.hpp"
#include "stats/distributions/kernel_density.hpp"
#include "stats/distributions/modes.hpp"
#include "stats/effective_sample_size.hpp"
#include "stats/quantile.hpp"

namespace fathom::analysis {

double end_of_linear_bins(std::span<const double> sorted) {
    constexpr double near = 10;
    constexpr double far = 6;
    constexpr double furthest = 50;  // 200 bins up to there leave the quartiles four
    const auto between = [&](double low, double high) {
        return stats::quantile(sorted, high) - stats::quantile(sorted, low);
    };
    const double upper = stats::quantile(sorted, 0.75);
    // Where most are equal, those around them say how far others are.
    const double spread = between(0.25, 0.75) > 0 ? between(0.25, 0.75) : between(0.05, 0.95);
    if (sorted.back() <= upper + near * spread || spread <= 0) {
        return sorted.back();
    }
    const double nearly_all = stats::quantile(sorted, 0.99);
    return nearly_all <= upper + furthest * spread
               ? std::min(sorted.back(), std::max(nearly_all, upper + far * spread))
               : upper + far * spread;
}

namespace {

stats::Histogram linear_bins(std::span<const double> sorted, double tick) {
    const double high = end_of_linear_bins(sorted);
    const double low = sorted.front() - tick / 2;  // heaps are in the middle of bins, not on their edges
    return stats::histogram(sorted, low, stats::bin_width(sorted, low, high, tick), high);
}

stats::Histogram logarithmic_bins(std::span<const double> sorted, double tick) {
    std::vector<double> logs;
    for (const double time : sorted) {
        if (time > 0) {
            logs.push_back(std::log10(time));
        }
    }
    if (logs.empty()) {
        return {};
    }
    // Bins that are narrower than a step of the clock would be empty between full ones.
    const double step = tick > 0 ? std::log10(1 + tick / std::pow(10, logs.front())) : 0;
    const double width = std::max(stats::bin_width(logs, logs.front(), logs.back(), 0), step);
    return stats::histogram(logs, logs.front(), width, logs.back());
}

/// Every half percent, and the tail more finely.
std::vector<StepPoint> steps_of(std::span<const double> sorted) {
    constexpr int even = 200;
    const auto n = sorted.size();
    std::vector<std::size_t> places;
    for (int i = 0; i <= even; ++i) {
        places.push_back(static_cast<std::size_t>(i) * (n - 1) / even);
    }
    for (auto beyond = n / even; beyond > 0; beyond /= 2) {
        places.push_back(n - 1 - beyond);
    }
    std::sort(places.begin(), places.end());
    std::vector<StepPoint> steps;
    for (const auto place : places) {
        if (steps.empty() || steps.back().at_ns != sorted[place]) {
            const auto held = std::upper_bound(sorted.begin(), sorted.end(), sorted[place]) - sorted.begin();
            steps.push_back({sorted[place], static_cast<double>(held) / static_cast<double>(n)});
        }
    }
    return steps;
}

/// Times on the scale on which they are smoothed: their logarithm, since tails are long; as they are where
/// some are 0.
class Scale {
  public:
    explicit Scale(std::span<const double> sorted) : logarithmic_(sorted.front() > 0) {
        for (const double time : sorted) {
            values_.push_back(logarithmic_ ? std::log(time) : time);
        }
    }
    [[nodiscard]] const std::vector<double>& values() const { return values_; }
    [[nodiscard]] double time(double value) const { return logarithmic_ ? std::exp(value) : value; }
    /// How much of the scale a nanosecond is at a time.
    [[nodiscard]] double by_ns(double time) const { return logarithmic_ ? 1 / time : 1; }

  private:
    bool logarithmic_;
    std::vector<double> values_;
};

/// The density by nanosecond, at places that suffice to draw it.
std::vector<DensityPoint> drawn(const stats::KernelDensity& density, const Scale& scale, double to) {
    constexpr std::size_t most = 256;
    std::size_t count = 0;
    while (count < density.density.size() && scale.time(density.at(count)) <= to) {
        ++count;
    }
    count = std::min(density.density.size(), count + 1);
    const auto step = count / most + 1;
    std::vector<DensityPoint> points;
    for (std::size_t i = 0; i < count; i += step) {
        // Of those that are left out, none may be higher: peaks are what is looked for.
        const auto begin = density.density.begin() + static_cast<std::ptrdiff_t>(i);
        const auto end = density.density.begin() + static_cast<std::ptrdiff_t>(std::min(count, i + step));
        const auto highest = std::max_element(begin, end);
        const double time =
            scale.time(density.at(static_cast<std::size_t>(highest - density.density.begin())));
        points.push_back({time, *highest * scale.by_ns(time)});
    }
    return points;
}

/// Where the density by nanosecond is highest next to a peak of that on the scale: below it, if they differ.
double highest_by_ns(const stats::KernelDensity& density, const Scale& scale, double peak) {
    const auto time = [&](std::size_t i) { return scale.time(density.at(i)); };
    const auto by_ns = [&](std::size_t i) { return density.density[i] * scale.by_ns(time(i)); };
    std::size_t i = 0;
    while (i + 1 < density.density.size() && density.at(i + 1) <= peak) {
        ++i;
    }
    while (i > 0 && by_ns(i - 1) > by_ns(i)) {
        --i;
    }
    return time(i);
}

void add_modes(Distribution& found, std::span<const double> sorted) {
    const Scale scale(sorted);
    const auto& values = scale.values();
    const double tick = found.tick_ns * scale.by_ns(stats::quantile(sorted, 0.5));
    const auto density = stats::kernel_density(values, found.effective_sample_size, tick);
    found.density =
        drawn(density, scale,
              found.linear.low + found.linear.width * static_cast<double>(found.linear.counts.size()));
    for (const auto& peak : stats::peaks_of(density, values, found.effective_sample_size)) {
        const double from = std::max(sorted.front(), scale.time(peak.from));
        const double to = std::min(sorted.back(), scale.time(peak.to));
        // The bandwidth may push the peak of a sharp edge beyond it.
        found.modes.push_back({.at_ns = std::clamp(highest_by_ns(density, scale, peak.at), from, to),
                               .share = peak.share,
                               .from_ns = from,
                               .to_ns = to});
    }
}

}  // namespace

Distribution distribution_of(std::span<const double> in_order, const std::optional<double>& sample_size) {
    Distribution found;
    found.count = in_order.size();
    if (in_order.empty()) {
        return found;
    }
    std::vector<double> sorted(in_order.begin(), in_order.end());
    std::sort(sorted.begin(), sorted.end());
    found.effective_sample_size =
        sample_size ? *sample_size : stats::effective_sample_size(in_order, stats::quantile(sorted, 0.5));
    const double tick = stats::tick_of(sorted);
    found.tick_ns = tick <= longest_tick_ns ? tick : 0;
    found.body_to_ns = sorted.back();
    found.linear = linear_bins(sorted, found.tick_ns);
    found.logarithmic = logarithmic_bins(sorted, found.tick_ns);
    found.steps = steps_of(sorted);
    if (sorted.front() == sorted.back()) {
        found.modes = {
            {.at_ns = sorted.front(), .share = 1, .from_ns = sorted.front(), .to_ns = sorted.back()}};
        return found;
    }
    if (sorted.size() < least_times_for_modes) {
        return found;
    }
    add_modes(found, sorted);
    found.body_to_ns = body_end(sorted);
    const auto body = static_cast<std::size_t>(
        std::upper_bound(sorted.begin(), sorted.end(), found.body_to_ns) - sorted.begin());
    found.body_share = static_cast<double>(body) / static_cast<double>(sorted.size());
    constexpr std::size_t fewest_steps = 5;
    const bool told_apart = stats::tick_of(sorted) * fewest_steps <= sorted[body - 1] - sorted.front();
    if (told_apart) {
        found.fits = fits_of(std::span(sorted).first(body), found.body_share * found.effective_sample_size);
    }
    return found;
}

}  // namespace fathom::analysis
