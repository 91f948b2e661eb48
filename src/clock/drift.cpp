#include "clock/drift.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <boost/math/tools/roots.hpp>

#include "stats/least_squares.hpp"
#include "stats/student.hpp"

namespace fathom::clock {
namespace {

/// Times and offsets relative to the first link, so that doubles hold them without loss.
struct Relative {
    double time;
    double offset;
    double low;
    double high;
};

std::vector<Relative> relative(std::span<const Link> links) {
    std::vector<Relative> points;
    points.reserve(links.size());
    const auto& first = links.front();
    const auto value = [&](Nanoseconds offset) {
        return static_cast<double>(checked_difference(offset, first.offset).count);
    };
    for (const auto& link : links) {
        points.push_back({static_cast<double>(checked_difference(link.at, first.at).count),
                          value(link.offset), value(link.low), value(link.high)});
    }
    return points;
}

std::vector<double> weights(std::span<const Link> links) {
    std::vector<double> bounds;
    for (const auto& link : links) {
        bounds.push_back(std::max(1.0, static_cast<double>(link.bound().count)));
    }
    const double best = *std::min_element(bounds.begin(), bounds.end());
    for (auto& bound : bounds) {
        bound = best * best / (bound * bound);
    }
    return bounds;
}

/// By how much the autocorrelation of residuals widens the error of a slope.
double correlation_factor(const std::vector<double>& rests) {
    constexpr std::size_t enough = 10;
    if (rests.size() < enough) {
        return 1;
    }
    double squares = 0;
    double neighbours = 0;
    for (std::size_t i = 0; i < rests.size(); ++i) {
        squares += rests[i] * rests[i];
        neighbours += i > 0 ? rests[i] * rests[i - 1] : 0;
    }
    constexpr double most = 0.99;
    const double alike = squares > 0 ? std::clamp(neighbours / squares, 0.0, most) : 0;
    return std::sqrt((1 + alike) / (1 - alike));
}

}  // namespace

SlopeRange SlopeRange::within(const SlopeRange& other) const {
    const SlopeRange both{std::max(low, other.low), std::min(high, other.high)};
    return both.low <= both.high ? both : *this;
}

SlopeRange slope_range(const Link& earlier, const Link& later) {
    const auto difference = [](Nanoseconds a, Nanoseconds b) {
        return static_cast<double>(checked_difference(b, a).count);
    };
    const double time = difference(earlier.at, later.at);
    if (time <= 0) {
        return SlopeRange::any();
    }
    return SlopeRange::any().within(
        {difference(earlier.high, later.low) / time, difference(earlier.low, later.high) / time});
}

Nanoseconds DriftFit::offset_at(Nanoseconds time) const {
    const auto since = static_cast<double>(checked_difference(time, origin).count);
    return checked_sum(base, {std::llround(offset_ns + slope * since)});
}

double DriftFit::rest_of(const Link& link) const {
    const auto since = static_cast<double>(checked_difference(link.at, origin).count);
    return static_cast<double>(checked_difference(link.offset, base).count) - offset_ns - slope * since;
}

double DriftFit::error_at(Nanoseconds time) const {
    if (count < 3) {
        return 0;
    }
    const auto distance = static_cast<double>(checked_difference(time, origin).count);
    return residual_ns * std::sqrt(1 / weight + distance * distance / spread_ns2);
}

double DriftFit::half_interval_at(Nanoseconds time) const {
    if (count < 3) {
        return std::numeric_limits<double>::infinity();
    }
    return stats::student_factor(static_cast<double>(count - 2)) * error_at(time);
}

std::optional<DriftFit> fit_drift(std::span<const Link> links) {
    if (links.size() < 2) {
        return std::nullopt;
    }
    std::vector<double> times;
    std::vector<double> offsets;
    for (const auto& point : relative(links)) {
        times.push_back(point.time);
        offsets.push_back(point.offset);
    }
    const auto weight = weights(links);
    const stats::LineFit line(times, offsets, weight);
    if (line.spread() <= 0) {
        return std::nullopt;
    }
    // The origin is a whole nanosecond: far finer than offsets are known.
    const auto since_first = std::llround(line.centre());
    DriftFit fit{.origin = {links.front().at.count + since_first},
                 .base = links.front().offset,
                 .offset_ns = line.at(static_cast<double>(since_first)).value,
                 .slope = line.slope().value,
                 .slope_error = 0,
                 .residual_ns = line.residual_deviation(),
                 .weight = std::accumulate(weight.begin(), weight.end(), 0.0),
                 .spread_ns2 = line.spread(),
                 .count = links.size()};
    std::vector<double> rests;
    for (std::size_t i = 0; i < links.size(); ++i) {
        rests.push_back(std::sqrt(weight[i]) * (offsets[i] - line.at(times[i]).value));
    }
    fit.slope_error = correlation_factor(rests) * fit.residual_ns * line.slope().error;
    return fit;
}

bool steady_drift_possible(std::span<const Link> links) {
    if (links.size() < 3) {
        return true;
    }
    const auto points = relative(links);
    // For a slope s a line exists if max(low - s t) <= min(high - s t). The room between the two is concave
    // in s, and its derivative is the time of the highest floor minus that of the lowest ceiling: it is
    // largest where the derivative changes its sign.
    const auto room = [&](double slope) {
        const auto low = [&](const Relative& point) { return point.low - slope * point.time; };
        const auto high = [&](const Relative& point) { return point.high - slope * point.time; };
        const auto floor = std::ranges::max_element(points, {}, low);
        const auto ceiling = std::ranges::min_element(points, {}, high);
        return std::pair(high(*ceiling) - low(*floor), floor->time - ceiling->time);
    };
    constexpr double rounding_ns = 1;
    const auto derivative_without_room = [&](double slope) {
        const auto [width, derivative] = room(slope);
        return width >= -rounding_ns ? 0 : derivative;
    };
    if (derivative_without_room(-1) * derivative_without_room(1) > 0) {
        return false;  // an offset that changes faster than time itself
    }
    const auto [below, above] = boost::math::tools::bisect(derivative_without_room, -1.0, 1.0,
                                                           boost::math::tools::eps_tolerance<double>());
    return std::max(room(below).first, room(above).first) >= -rounding_ns;
}

bool slope_changed(std::span<const Link> links) {
    constexpr std::size_t fewest = 12;
    if (links.size() < fewest) {
        return false;
    }
    const auto first = fit_drift(links.first(links.size() / 2));
    const auto second = fit_drift(links.last(links.size() / 2));
    if (!first || !second) {
        return false;
    }
    constexpr double sure = 6;
    // Residuals of a nanosecond are rounding, not evidence.
    const auto error_of = [](const DriftFit& fit) {
        return std::max(fit.slope_error, 1 / std::sqrt(fit.spread_ns2));
    };
    const double error = std::hypot(error_of(*first), error_of(*second));
    return std::abs(second->slope - first->slope) > sure * error;
}

}  // namespace fathom::clock
