#include "analysis/scaling.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/anomalies.hpp"
#include "analysis/curves.hpp"
#include "analysis/violations.hpp"
#include "plan/operations.hpp"

namespace fathom::analysis {
namespace {

/// A line needs one more point than it has parameters to be told from a curve.
constexpr std::size_t least_points = 3;
/// How far a point may be off the line, as a share of its time.
constexpr double tolerable = 0.05;

struct Line {
    double start = 0;
    double slope = 0;
};

/// By least squares of the relative deviations, so that small sizes count as much as large ones.
Line fitted(const TimedPoint* first, const TimedPoint* last) {
    double weights = 0;
    double mean_x = 0;
    double mean_y = 0;
    for (const auto* at = first; at != last; ++at) {
        const double weight = 1 / (at->time_ns * at->time_ns);
        weights += weight;
        mean_x += weight * static_cast<double>(at->point->size.count);
        mean_y += weight * at->time_ns;
    }
    mean_x /= weights;
    mean_y /= weights;
    double squares = 0;
    double products = 0;
    for (const auto* at = first; at != last; ++at) {
        const double weight = 1 / (at->time_ns * at->time_ns);
        const double x = static_cast<double>(at->point->size.count) - mean_x;
        squares += weight * x * x;
        products += weight * x * (at->time_ns - mean_y);
    }
    const double slope = products / squares;
    return {.start = mean_y - slope * mean_x, .slope = slope};
}

bool fits(const Line& line, const TimedPoint* first, const TimedPoint* last) {
    constexpr double sigmas = 3;
    return std::all_of(first, last, [&](const TimedPoint& at) {
        const double off =
            std::abs(line.start + line.slope * static_cast<double>(at.point->size.count) - at.time_ns);
        return off <= std::max(tolerable * at.time_ns, sigmas * at.error_ns);
    });
}

/// A line through the largest sizes, from as far down as it goes.
void put_line(SizeScaling& scaling, const SizeCurve& curve, double traffic_of_a_byte) {
    const auto* end = curve.points.data() + curve.points.size();
    std::optional<Line> line;
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
    if (!line || line->slope <= 0) {
        return;
    }
    constexpr double ns_per_s = 1e9;
    scaling.asymptotic_rate_bytes_per_s = traffic_of_a_byte / line->slope * ns_per_s;
    scaling.start_ns = line->start;
    scaling.fitted_from = from->point->size;
    scaling.fitted_to = (end - 1)->point->size;
    if (line->start > 0) {
        scaling.half_bytes = line->start / line->slope;
    }
}

std::string text_of(const SizeScaling& scaling) {
    const auto who = fmt::format("{}, {} {}", scaling.operation, scaling.procs,
                                 scaling.procs == 1 ? "process" : "processes");
    auto text = fmt::format("{}: at most {} (at {})", who, rate_text(scaling.best_rate_bytes_per_s),
                            to_text(scaling.best_at));
    if (scaling.asymptotic_rate_bytes_per_s) {
        text += fmt::format("; large messages come near {}", rate_text(*scaling.asymptotic_rate_bytes_per_s));
    }
    if (scaling.half_bytes) {
        text += fmt::format(", half of it at {}", to_text(Bytes{std::llround(*scaling.half_bytes)}));
    }
    return text;
}

std::optional<SizeScaling> size_scaling(const SizeCurve& curve) {
    const auto& operation = plan::find_operation(curve.operation);
    const auto& largest = *curve.points.back().point;
    if (!operation.sized || largest.size.count <= 0) {
        return std::nullopt;
    }
    const double blocks = largest.size_as == "total" ? largest.procs : 1;
    const double traffic_of_a_byte = operation.traffic(1, curve.procs) / blocks;
    if (!(traffic_of_a_byte > 0)) {
        return std::nullopt;
    }
    SizeScaling scaling;
    scaling.operation = curve.operation;
    scaling.procs = curve.procs;
    scaling.scheme = curve.scheme;
    scaling.progress = curve.progress;
    constexpr double ns_per_s = 1e9;
    for (const auto& at : curve.points) {
        const double rate =
            traffic_of_a_byte * static_cast<double>(at.point->size.count) / at.time_ns * ns_per_s;
        if (rate > scaling.best_rate_bytes_per_s) {
            scaling.best_rate_bytes_per_s = rate;
            scaling.best_at = at.point->size;
        }
    }
    put_line(scaling, curve, traffic_of_a_byte);
    scaling.text = text_of(scaling);
    return scaling;
}

}  // namespace

Scaling scaling_of(const std::vector<PointResult>& points, bool simulated) {
    Scaling scaling;
    const auto curves = size_curves(points, simulated);
    for (const auto& curve : curves) {
        if (auto found = size_scaling(curve)) {
            scaling.sizes.push_back(std::move(*found));
        }
    }
    put_anomalies(scaling, curves, simulated);
    put_violations(scaling, points, simulated);
    return scaling;
}

}  // namespace fathom::analysis
