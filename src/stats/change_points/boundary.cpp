#include "stats/change_points/boundary.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace fathom::stats {

namespace {

std::vector<CurvePoint> reversed(std::span<const CurvePoint> points) {
    return {points.rbegin(), points.rend()};
}

}  // namespace

Boundary::Boundary(std::span<const CurvePoint> points, std::size_t count_below)
    : below(reversed(points.first(count_below))), above(points.subspan(count_below), &below) {
    below = LocalLine(reversed(points.first(count_below)), &above);
}

Boundary::Separation Boundary::separation_at(double x, double margin) const {
    const auto before = below.at(x);
    const auto after = above.at(x);
    const double explained = margin * std::abs(above.bias(x) - below.bias(x));
    const double apart = std::max(0.0, std::abs(after.value - before.value) - explained);
    return {.z_score = apart / std::hypot(before.error, after.error),
            .share = apart / std::min(std::abs(before.value), std::abs(after.value))};
}

/// Whether the slopes are the same as far as noise shows, or nearly so.
bool Boundary::parallel() const {
    // A slope that changes by less than half (a third of the steeper one) is the curvature of a smooth curve.
    constexpr double nearly = 1 / 3.0;
    const auto before = below.slope();
    const auto after = above.slope();
    const double change = std::abs(after.value - before.value);
    return !below.slope_known() || !above.slope_known() ||
           change < nearly * std::max(std::abs(before.value), std::abs(after.value)) ||
           change < significant * std::hypot(before.error, after.error);
}

double Boundary::middle() const {
    return (static_cast<double>(below.nearest().x) + static_cast<double>(above.nearest().x)) / 2;
}

double Boundary::nearest_place() const {
    if (parallel()) {
        return middle();
    }
    const auto low = static_cast<double>(below.nearest().x);
    const auto high = static_cast<double>(above.nearest().x);
    const double apart = above.at(low).value - below.at(low).value;
    return std::clamp(low - apart / (above.slope().value - below.slope().value), low, high);
}

ChangePoint Boundary::change_point() const {
    const double nearest = nearest_place();
    const auto there = separation_at(nearest);
    const bool jump = parallel() || there.matters();
    const auto low = below.nearest().x;
    const auto high = above.nearest().x;
    const double place = jump ? middle() : nearest;
    return {.last_below = low,
            .first_above = high,
            .before = below.at(place).value,
            .after = above.at(place).value,
            .jump = jump,
            .significance = jump ? there.z_score
                                 : std::max(separation_at(static_cast<double>(low)).z_score,
                                            separation_at(static_cast<double>(high)).z_score),
            .slope_before = below.slope().value,
            .slope_after = above.slope().value};
}

}  // namespace fathom::stats
