#include "clock/drift.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

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

/// By how much neighbouring rests that resemble each other widen the error of a slope: they count as fewer.
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
    const auto points = relative(links);
    const auto weight = weights(links);
    DriftFit fit;
    fit.count = links.size();
    double mean_time = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        fit.weight += weight[i];
        mean_time += weight[i] * points[i].time;
    }
    // The origin is a whole nanosecond: far finer than offsets are known.
    fit.origin = {links.front().at.count + std::llround(mean_time / fit.weight)};
    mean_time = static_cast<double>((fit.origin - links.front().at).count);
    double mean_offset = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        mean_offset += weight[i] * points[i].offset / fit.weight;
    }
    double cross = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double time = points[i].time - mean_time;
        fit.spread_ns2 += weight[i] * time * time;
        cross += weight[i] * time * (points[i].offset - mean_offset);
    }
    if (fit.spread_ns2 <= 0) {
        return std::nullopt;
    }
    fit.slope = cross / fit.spread_ns2;
    fit.base = links.front().offset;
    fit.offset_ns = mean_offset;
    if (links.size() > 2) {
        double squares = 0;
        std::vector<double> rests;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double rest = points[i].offset - mean_offset - fit.slope * (points[i].time - mean_time);
            squares += weight[i] * rest * rest;
            rests.push_back(std::sqrt(weight[i]) * rest);
        }
        fit.residual_ns = std::sqrt(squares / static_cast<double>(links.size() - 2));
        fit.slope_error = correlation_factor(rests) * fit.residual_ns / std::sqrt(fit.spread_ns2);
    }
    return fit;
}

bool steady_drift_possible(std::span<const Link> links) {
    if (links.size() < 3) {
        return true;
    }
    const auto points = relative(links);
    // For a slope s a line exists if max(low - s t) <= min(high - s t). The gap between the two is concave in
    // s and changes as the time of the lowest ceiling minus that of the highest floor: bisect towards where
    // it widens.
    double below = -1;
    double above = 1;
    constexpr int steps = 120;
    for (int step = 0; step < steps; ++step) {
        const double slope = (below + above) / 2;
        double floor = -std::numeric_limits<double>::infinity();
        double ceiling = std::numeric_limits<double>::infinity();
        double floor_time = 0;
        double ceiling_time = 0;
        for (const auto& point : points) {
            if (point.low - slope * point.time > floor) {
                floor = point.low - slope * point.time;
                floor_time = point.time;
            }
            if (point.high - slope * point.time < ceiling) {
                ceiling = point.high - slope * point.time;
                ceiling_time = point.time;
            }
        }
        constexpr double rounding_ns = 1;
        if (floor <= ceiling + rounding_ns) {
            return true;
        }
        if (floor_time == ceiling_time) {
            return false;
        }
        (floor_time > ceiling_time ? below : above) = slope;
    }
    return false;
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
    // Rests of a nanosecond are rounding, not proof.
    const auto error_of = [](const DriftFit& fit) {
        return std::max(fit.slope_error, 1 / std::sqrt(fit.spread_ns2));
    };
    const double error = std::hypot(error_of(*first), error_of(*second));
    return std::abs(second->slope - first->slope) > sure * error;
}

}  // namespace fathom::clock
