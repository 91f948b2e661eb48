#include "analysis/curves/scaling.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/curves/anomalies.hpp"
#include "analysis/curves/curves.hpp"
#include "analysis/curves/violations.hpp"
#include "plan/operations.hpp"

namespace fathom::analysis {
namespace {

/// A line needs one more point than it has parameters to be told from a curve.
constexpr std::size_t least_points = 3;
/// How far a point may be off the line, as a share of its time.
constexpr double tolerable_error = 0.05;

struct ScalingLine {
    double start = 0;
    double slope = 0;
};

/// By least squares of the relative deviations, so that small sizes count as much as large ones.
ScalingLine fitted(const TimedPoint* first, const TimedPoint* last) {
    double weights = 0;
    double mean_x = 0;
    double mean_y = 0;
    for (const auto* at = first; at != last; ++at) {
        const double weight = 1 / (at->time_ns * at->time_ns);
        weights += weight;
        mean_x += weight * static_cast<double>(at->point->key.size.count);
        mean_y += weight * at->time_ns;
    }
    mean_x /= weights;
    mean_y /= weights;
    double squares = 0;
    double products = 0;
    for (const auto* at = first; at != last; ++at) {
        const double weight = 1 / (at->time_ns * at->time_ns);
        const double x = static_cast<double>(at->point->key.size.count) - mean_x;
        squares += weight * x * x;
        products += weight * x * (at->time_ns - mean_y);
    }
    const double slope = products / squares;
    return {.start = mean_y - slope * mean_x, .slope = slope};
}

bool fits(const ScalingLine& line, const TimedPoint* first, const TimedPoint* last) {
    constexpr double sigmas = 3;
    return std::all_of(first, last, [&](const TimedPoint& at) {
        const double off =
            std::abs(line.start + line.slope * static_cast<double>(at.point->key.size.count) - at.time_ns);
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
    const auto* end = curve.points.data() + curve.points.size();
    std::optional<ScalingLine> line;
    const TimedPoint* from = nullptr;
    for (std::size_t count = least_points; count <= curve.points.size(); ++count) {
        const auto* first = end - count;
        const auto candidate = fitted(first, end);
        if (!fits(candidate, first, end)) {
            break;
        }
        line = candidate;
        from = first;
    }
    // What bytes take must be seen: a line that hardly rises says nothing of larger messages.
    const auto& largest = *(end - 1);
    const double rise = line ? line->slope * static_cast<double>(largest.point->key.size.count) : 0;
    constexpr double sigmas = 3;
    if (!line || rise < line->start || rise < sigmas * largest.error_ns) {
        return;
    }
    constexpr double ns_per_s = 1e9;
    scaling.asymptotic_rate_bytes_per_s = traffic_of_a_byte / line->slope * ns_per_s;
    scaling.fitted_from = from->point->key.size;
    scaling.fitted_to = largest.point->key.size;
    if (line->start > 0) {
        scaling.start_ns = line->start;
        const double half = line->start / line->slope;
        constexpr double nearly = 0.9;
        scaling.half_bytes = half >= nearly * static_cast<double>(from->point->key.size.count)
                                 ? std::optional(half)
                                 : half_between(curve, 2 * line->slope);
    }
}

std::string text_of(const SizeScaling& scaling) {
    auto text = fmt::format("{}: at most {} (at {})", curve_text(scaling.key),
                            rate_text(scaling.best_rate_bytes_per_s), to_text(scaling.best_at));
    if (scaling.asymptotic_rate_bytes_per_s) {
        text += fmt::format("; large messages come near {}", rate_text(*scaling.asymptotic_rate_bytes_per_s));
    }
    if (scaling.half_bytes) {
        text += fmt::format(", half of it at {}", to_text(Bytes{std::llround(*scaling.half_bytes)}));
    }
    return text;
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
    scaling.text = text_of(scaling);
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

std::string factor_text(double factor) {
    return factor < 10 ? fmt::format("{:.2f}", factor) : fmt::format("{:.0f}", factor);
}

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
