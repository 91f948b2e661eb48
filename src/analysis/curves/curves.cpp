#include "analysis/curves/curves.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <boost/math/distributions/normal.hpp>

#include "plan/operations.hpp"
#include "stats/change_points/curve_point.hpp"
#include "stats/student.hpp"

namespace fathom::analysis {

std::optional<TimedPoint> timed(const PointResult& point, bool simulated) {
    if (!point.trusted() || !point.time_ns || !(point.time_ns->median > 0)) {
        return std::nullopt;
    }
    const auto& time = *point.time_ns;
    const auto bounds = stats::median_bounds(time);
    if (!bounds && !simulated) {
        return std::nullopt;
    }
    const double own = bounds ? (bounds->high - bounds->low) / 2 / stats::normal_factor : 0;
    const double least = simulated ? 0 : std::max(stats::point_scatter * time.median, point.step_ns / 2);
    return TimedPoint{.point = &point, .time_ns = time.median, .error_ns = std::max(own, least)};
}

std::vector<SizeCurve> size_curves(const std::vector<PointResult>& points, bool simulated) {
    std::vector<SizeCurve> curves;
    std::map<PointKey, std::size_t> places;
    for (const auto& point : points) {
        const auto at = timed(point, simulated);
        // Sizes that no element divides are reduced as another datatype: a curve of its own.
        if (!at || point.key.size.count % plan::find_operation(point.key.operation).element != 0) {
            continue;
        }
        const auto key = of_size(point.key, {});
        const auto [place, is_new] = places.try_emplace(key, curves.size());
        if (is_new) {
            curves.push_back({.key = key, .points = {}});
        }
        curves[place->second].points.push_back(*at);
    }
    for (auto& curve : curves) {
        auto& own = curve.points;
        const auto size = [](const TimedPoint& at) { return at.point->key.size; };
        std::stable_sort(own.begin(), own.end(),
                         [&](const auto& a, const auto& b) { return size(a) < size(b); });
        own.erase(std::unique(own.begin(), own.end(),
                              [&](const auto& a, const auto& b) { return size(a) == size(b); }),
                  own.end());
    }
    return curves;
}

double p_exceeds(double time, double error, double bound, double bound_error) {
    if (!(time > 0 && bound > 0)) {
        return 1;
    }
    const double logarithm = std::log(time / bound);
    const double deviation = std::hypot(error / time, bound_error / bound);
    constexpr double no_difference = 1e-9;
    if (deviation <= 0) {
        return logarithm > no_difference ? 0 : 1;
    }
    return boost::math::cdf(boost::math::complement(boost::math::normal(), logarithm / deviation));
}

}  // namespace fathom::analysis
