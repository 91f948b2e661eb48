#include "tune/fit/fit.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/curves/curves.hpp"

namespace fathom::tune {
namespace {

/// The last size of a line before another, between the values that they were fitted to.
Bytes end_of_line(const stats::FittedLine& one, const stats::FittedLine& next, double last, double first) {
    const double meet = (one.fixed - next.fixed) / (next.slope - one.slope);
    const double end = meet >= last && meet < first ? meet : std::sqrt(std::max(last, 1.0) * first);
    return {static_cast<std::int64_t>(std::clamp(std::round(end), last, first - 1))};
}

Fit fit_of_curve(const analysis::SizeCurve& curve) {
    std::vector<stats::MeasuredValue> values;
    for (const auto& point : curve.points) {
        values.push_back({.x = static_cast<double>(point.point->key.size.count),
                          .y = point.time_ns,
                          .error = std::max(point.error_ns, rounding_ns)});
    }
    Fit fit{.key = curve.key, .time = closed_form(values).value_or(PiecewiseTime{})};
    for (const auto& value : values) {
        fit.points.push_back({.size = {static_cast<std::int64_t>(value.x)},
                              .measured_ns = value.y,
                              .fitted_ns = fit.time.at(value.x)});
        const double error = std::abs(fit.points.back().error());
        fit.mean_error += error / static_cast<double>(values.size());
        fit.largest_error = std::max(fit.largest_error, error);
    }
    return fit;
}

}  // namespace

std::optional<PiecewiseTime> closed_form(std::span<const stats::MeasuredValue> values) {
    const auto lines = stats::piecewise_lines(values);
    if (lines.empty()) {
        return std::nullopt;
    }
    PiecewiseTime made;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto& line = lines[i];
        const bool is_last = i + 1 == lines.size();
        made.ranges.push_back({.time = {line.fixed, line.slope},
                               .up_to = is_last ? endless
                                                : end_of_line(line, lines[i + 1], values[line.last].x,
                                                              values[lines[i + 1].first].x)});
    }
    return made;
}

std::vector<Fit> fits_of(const std::vector<analysis::PointResult>& points, bool simulated) {
    std::vector<Fit> fits;
    for (const auto& curve : analysis::size_curves(points, simulated)) {
        if (curve.points.size() >= 2) {
            fits.push_back(fit_of_curve(curve));
        }
    }
    return fits;
}

}  // namespace fathom::tune
