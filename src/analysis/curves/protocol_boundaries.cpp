#include "analysis/curves/protocol_boundaries.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/curves/trusted_studies.hpp"
#include "analysis/overlap/rounds.hpp"

namespace fathom::analysis {
namespace {

/// One size of a curve, with what matters for protocols.
struct Place {
    const PointResult* point;
    Reduced time;  ///< base of a message, t_b of a collective
    Reduced overhead;
    Reduced availability;
};

std::optional<Place> place_of(const PointResult& point) {
    if (!trusted_study(point)) {
        return std::nullopt;
    }
    const auto& overlap = *point.overlap;
    const auto& time = overlap.message ? overlap.message->base_ns : overlap.collective->t_b_ns;
    const auto& plain = *overlap.plain();
    // No message takes less than a nanosecond: such a base was lost in noise.
    constexpr double least_ns = 1;
    if (!time || time->value < least_ns || !plain.overhead_ns || !plain.availability) {
        return std::nullopt;
    }
    return Place{
        .point = &point, .time = *time, .overhead = *plain.overhead_ns, .availability = *plain.availability};
}

bool one_curve(const PointResult& a, const PointResult& b) {
    return of_size(a.key, {}) == of_size(b.key, {});
}

/// A time that falls, or grows by much more than the message does; `least` is a change that matters.
bool jumps(const Reduced& before, const Reduced& after, double growth, double least) {
    // Over a wide gap between sizes a time may outgrow them without a break.
    constexpr double doublings_at_once = 2;
    const double more = std::pow(1.5, std::max(1.0, std::log2(growth) / doublings_at_once));
    constexpr double falls = 0.9;
    return disjoint(before, after) && std::abs(after.value - before.value) > least &&
           (after.value > more * growth * std::max(before.value, 0.0) || after.value < falls * before.value);
}

bool is_boundary(const Place& before, const Place& after) {
    constexpr double matters = 0.05;  // of the time
    const auto size = [](const Place& place) {
        return static_cast<double>(std::max<std::int64_t>(1, place.point->key.size.count));
    };
    const double growth = size(after) / size(before);
    const double least = matters * before.time.value;
    // Availability rises by itself where a constant overhead meets longer and longer messages.
    const bool drops = disjoint(before.availability, after.availability) &&
                       before.availability.value - after.availability.value > notable_share;
    return drops || jumps(before.overhead, after.overhead, growth, least) ||
           jumps(before.time, after.time, growth, least);
}

ProtocolBoundary boundary_of(const Place& before, const Place& after) {
    const auto& point = *after.point;
    return {.key = point.key,
            .below = before.point->key.size,
            .above = point.key.size,
            .time_before_ns = before.time.value,
            .time_after_ns = after.time.value,
            .overhead_before_ns = before.overhead.value,
            .overhead_after_ns = after.overhead.value,
            .availability_before = before.availability.value,
            .availability_after = after.availability.value};
}

const PointResult* twin_with_thread(const std::vector<PointResult>& points, const PointResult& point) {
    auto threaded = point.key;
    threaded.progress = plan::progress_thread;
    const auto found = std::find_if(points.begin(), points.end(), [&](const auto& other) {
        return other.key == threaded && trusted_study(other) && other.overlap->plain()->availability;
    });
    return found == points.end() ? nullptr : &*found;
}

}  // namespace

std::vector<ProtocolBoundary> protocol_boundaries(const std::vector<PointResult>& points) {
    std::vector<Place> places;
    for (const auto& point : points) {
        if (const auto place = place_of(point)) {
            places.push_back(*place);
        }
    }
    std::vector<ProtocolBoundary> found;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto next = std::find_if(places.begin() + static_cast<std::ptrdiff_t>(i) + 1, places.end(),
                                       [&](const auto& other) {
                                           return one_curve(*places[i].point, *other.point) &&
                                                  other.point->key.size > places[i].point->key.size;
                                       });
        if (next != places.end() && is_boundary(places[i], *next)) {
            found.push_back(boundary_of(places[i], *next));
        }
    }
    return found;
}

void compare_progress(std::vector<PointResult>& points) {
    for (auto& point : points) {
        if (!point.key.progress.empty() || !trusted_study(point) || !point.overlap->plain()->availability) {
            continue;
        }
        if (const auto* twin = twin_with_thread(points, point)) {
            const auto& without = *point.overlap->plain()->availability;
            const auto& with = *twin->overlap->plain()->availability;
            using enum ProgressThreadEffect::Kind;
            point.overlap->thread = {.kind = !disjoint(without, with)     ? no_difference
                                             : with.value > without.value ? helps
                                                                          : worse,
                                     .availability = with};
        }
    }
}

}  // namespace fathom::analysis
