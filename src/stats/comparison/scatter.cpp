#include "stats/comparison/scatter.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/tools/roots.hpp>

#include "stats/quantile.hpp"
#include "stats/student.hpp"

namespace fathom::stats {
namespace {

/// Median distance from the middle in units of what is expected of each.
double middle_distance(std::span<const Deviation> deviations, double middle, double scatter) {
    std::vector<double> distances;
    for (const auto& deviation : deviations) {
        const double expected = std::hypot(deviation.error, scatter);
        const double distance = std::abs(deviation.value - middle);
        distances.push_back(expected > 0 ? distance / expected : distance > 0 ? HUGE_VAL : 0);
    }
    return median_of(std::move(distances));
}

}  // namespace

double excess_scatter(std::span<const Deviation> deviations, double most) {
    if (deviations.size() < 2) {
        return 0;
    }
    std::vector<double> values;
    for (const auto& deviation : deviations) {
        values.push_back(deviation.value);
    }
    const double middle = median_of(std::move(values));
    // The middle is nearer to the values than the truth is.
    const auto count = static_cast<double>(deviations.size());
    const double aim = 1 / mad_to_sigma * std::sqrt((count - 1) / count);
    const auto excess = [&](double scatter) { return middle_distance(deviations, middle, scatter) - aim; };
    if (excess(0) <= 0) {
        return 0;
    }
    if (excess(most) >= 0) {
        return most;
    }
    constexpr int bits = 40;
    return boost::math::tools::bisect(excess, 0.0, most, boost::math::tools::eps_tolerance<double>(bits))
        .second;
}

double freedom_of_scatter(std::size_t count) {
    constexpr double efficiency = 0.37;
    return std::max(1.0, efficiency * (static_cast<double>(count) - 1));
}

double middle_variance(std::span<const OwnVariance> variances) {
    if (variances.empty()) {
        return 0;
    }
    std::vector<double> scaled;
    for (const auto& own : variances) {
        const boost::math::chi_squared chi(own.freedom);
        scaled.push_back(own.value * own.freedom / boost::math::quantile(chi, 0.5));
    }
    return median_of(std::move(scaled));
}

}  // namespace fathom::stats
