#include "analysis/curves/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "analysis/curves/anomalies.hpp"
#include "analysis/curves/curves.hpp"
#include "analysis/curves/violations.hpp"
#include "plan/operations.hpp"
#include "stats/least_squares.hpp"

namespace fathom::analysis {
namespace {

/// A line needs one more point than it has parameters to be distinguished from a curve.
constexpr std::size_t least_points = 3;
/// How far a point may be off the line, as a share of its time.
constexpr double tolerable_error = 0.05;

/// By least squares of the relative deviations, so that small sizes count as much as large ones.
stats::LineFit fitted(std::span<const TimedPoint> points) {
    std::vector<double> sizes;
    std::vector<double> times;
    std::vector<double> weights;
    for (const auto& at : points) {
        sizes.push_back(static_cast<double>(at.point->key.size.count));
        times.push_back(at.time_ns);
        weights.push_back(1 / (at.time_ns * at.time_ns));
    }
    return {sizes, times, weights};
}

bool fits(const stats::LineFit& line, std::span<const TimedPoint> points) {
    constexpr double sigmas = 3;
    return std::ranges::all_of(points, [&](const TimedPoint& at) {
        const double off =
            std::abs(line.at(static_cast<double>(at.point->key.size.count)).value - at.time_ns);
        return off <= std::max(tolerable_error * at.time_ns, sigmas * at.error_ns);
    });
}

/// Where bytes take this long each, between measured sizes: below those that the line holds for.
std::optional<double> half_between(const SizeCurve& curve, double ns_per_byte) {
    const auto of = [](const TimedPoint& at) {
        return at.time_ns / static_cast<double>(at.point->key.size.count);
    };
    for (std::size_t i = 0; i + 1 < curve.points.size(); ++i) {
        const auto& below = curve.points[i];
        const auto& above = curve.points[i + 1];
        if (below.point->key.size.count > 0 && of(below) > ns_per_byte && of(above) <= ns_per_byte) {
            // Straight where both are logarithms.
            const double share = std::log(of(below) / ns_per_byte) / std::log(of(below) / of(above));
            const auto low = static_cast<double>(below.point->key.size.count);
            const auto high = static_cast<double>(above.point->key.size.count);
            return low * std::pow(high / low, share);
        }
    }
    return std::nullopt;
}

/// A line through the largest sizes, from as far down as it goes.
void put_line(SizeScaling& scaling, const SizeCurve& curve, double traffic_of_a_byte) {
    std::optional<stats::LineFit> line;
    Bytes from;
    for (std::size_t count = least_points; count <= curve.points.size(); ++count) {
        const auto points = std::span(curve.points).last(count);
        const auto candidate = fitted(points);
        if (!fits(candidate, points)) {
            break;
        }
        line = candidate;
        from = points.front().point->key.size;
    }
    if (!line) {
        return;
    }
    const double start = line->at(0).value;
    const double slope = line->slope().value;
    // The slope must be significant: a flat line says nothing about larger messages.
    const auto& largest = curve.points.back();
    const double rise = slope * static_cast<double>(largest.point->key.size.count);
    constexpr double sigmas = 3;
    if (rise < start || rise < sigmas * largest.error_ns) {
        return;
    }
    constexpr double ns_per_s = 1e9;
    scaling.asymptotic_rate_bytes_per_s = traffic_of_a_byte / slope * ns_per_s;
    scaling.fitted_from = from;
    scaling.fitted_to = largest.point->key.size;
    if (start > 0) {
        scaling.start_ns = start;
        const double half = start / slope;
        constexpr double nearly = 0.9;
        scaling.half_bytes = half >= nearly * static_cast<double>(from.count)
                                 ? std::optional(half)
                                 : half_between(curve, 2 * slope);
    }
}

std::optional<SizeScaling> size_scaling(const SizeCurve& curve) {
    const auto& operation = plan::find_operation(curve.key.operation);
    const auto& largest = *curve.points.back().point;
    // One process moves nothing.
    if (!operation.sized || largest.key.size.count <= 0 || curve.key.procs < 2) {
        return std::nullopt;
    }
    const double blocks = largest.size_as == plan::SizeAs::total ? largest.key.procs : 1;
    const double traffic_of_a_byte = operation.traffic(1, curve.key.procs) / blocks;
    if (!(traffic_of_a_byte > 0)) {
        return std::nullopt;
    }
    SizeScaling scaling;
    scaling.key = curve.key;
    constexpr double ns_per_s = 1e9;
    for (const auto& at : curve.points) {
        const double rate =
            traffic_of_a_byte * static_cast<double>(at.point->key.size.count) / at.time_ns * ns_per_s;
        if (rate > scaling.best_rate_bytes_per_s) {
            scaling.best_rate_bytes_per_s = rate;
            scaling.best_at = at.point->key.size;
        }
    }
    put_line(scaling, curve, traffic_of_a_byte);
    return scaling;
}

/// Collectives whose processes may have blocks of different sizes do other work then than those of equal
/// ones.
std::vector<PointResult> of_equal_blocks(std::vector<PointResult> points) {
    std::erase_if(points, [](const auto& point) {
        return plan::find_operation(point.key.operation).is(plan::Fact::by_counts);
    });
    return points;
}

}  // namespace

Scaling scaling_of(const std::vector<PointResult>& points, bool simulated, bool equal_blocks) {
    Scaling scaling;
    const auto curves = size_curves(points, simulated);
    for (const auto& curve : curves) {
        if (auto found = size_scaling(curve)) {
            scaling.sizes.push_back(std::move(*found));
        }
    }
    put_anomalies(scaling, curves, simulated);
    put_violations(scaling, equal_blocks ? points : of_equal_blocks(points), simulated);
    return scaling;
}

}  // namespace fathom::analysis
