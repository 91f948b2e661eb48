#include "probe/agenda/agenda.hpp"

#include <algorithm>
#include <utility>

namespace fathom::probe {
namespace {

std::optional<stats::CurvePoint> time_of(const plan::KnownPoint& known) {
    return known.measured
               ? std::optional(stats::CurvePoint{
                     .x = 0, .median = known.median_ns, .low = known.low_ns, .high = known.high_ns})
               : std::nullopt;
}

}  // namespace

Agenda::Agenda(const plan::Job& job, std::vector<plan::PointSpec> points, double scatter)
    : waiting_(points.begin(), points.end()),
      scatter_(scatter),
      next_index_(job.next_index),
      epsilon_(job.plan.refine_percent / 100),
      most_points_(static_cast<std::size_t>(job.plan.max_points)) {
    if (next_index_ == 0) {
        for (const auto& point : points) {
            next_index_ = std::max(next_index_, point.index + 1);
        }
    }
    const auto procs = plan::process_grid(job.plan.procs);
    const auto sizes = plan::size_grid(job.plan.sizes);
    by_size_ = procs.refined.empty();
    ranges_ = by_size_ ? sizes.refined : procs.refined;
    refining_ = job.refining && !ranges_.empty();
    locating_ = job.refining && job.plan.locate_switches && by_size_;
    if (!refining_ && !locating_) {
        return;
    }
    for (const auto& known : job.known) {
        const auto place = place_of(known.point);
        auto& curve = curve_of(known.point);
        if (!place) {
            ++curve.beside;
        } else if (known.point.purpose == plan::purpose_switch) {
            keep_for_search(curve, known.point, time_of(known));
        } else {
            take(curve, *place, time_of(known));
        }
    }
}

std::optional<Errand> Agenda::next() {
    if (!waiting_.empty()) {
        auto point = waiting_.front();
        waiting_.pop_front();
        return Errand{.point = std::move(point)};
    }
    for (auto& [key, curve] : curves_) {
        if (const auto place = next_place(curve)) {
            auto point = curve.like;
            point.index = next_index_++;
            point.purpose = place->second;
            if (by_size_) {
                point.key.size = {place->first * unit_of(point)};
            } else {
                point.key.procs = static_cast<int>(place->first);
            }
            return Errand{.point = std::move(point), .added = true};
        }
    }
    return std::nullopt;
}

void Agenda::visited(const plan::PointSpec& point, const Visit& visit) {
    if (!visit.ended) {
        waiting_.push_back(point);
    } else if (refining_ || locating_) {
        auto& curve = curve_of(point);
        const auto place = place_of(point);
        if (!place) {
            ++curve.beside;
        } else if (point.purpose == plan::purpose_switch && !curve.search) {
            keep_for_search(curve, point, visit.time);  // left open by an earlier job
        } else {
            take(curve, *place, visit.time);
        }
    }
}

Agenda::Key Agenda::key_of(const plan::PointSpec& point) const {
    return {point.key.operation, by_size_ ? point.key.procs : point.key.size.count};
}

std::int64_t Agenda::unit_of(const plan::PointSpec& point) const {
    return by_size_ ? plan::find_operation(point.key.operation).element : 1;
}

std::optional<std::int64_t> Agenda::place_of(const plan::PointSpec& point) const {
    const auto value = by_size_ ? point.key.size.count : point.key.procs;
    const auto unit = unit_of(point);
    return value % unit == 0 ? std::optional(value / unit) : std::nullopt;
}

Agenda::Curve& Agenda::curve_of(const plan::PointSpec& point) {
    const auto [at, is_new] = curves_.try_emplace(key_of(point));
    auto& curve = at->second;
    if (is_new) {
        curve.like = point;
        if (refining_) {
            curve.refinements.assign(ranges_.size(), stats::Refinement(epsilon_, most_points_));
        }
    }
    return curve;
}

void Agenda::take(Curve& curve, std::int64_t place, const std::optional<stats::CurvePoint>& time) {
    curve.tried.insert(place);
    if (time) {
        curve.measured[place] = *time;
        curve.measured[place].x = place;
    }
    // Once switches are searched for, the curve that the search started from stays as it is.
    for (std::size_t i = 0; !curve.search && i < curve.refinements.size(); ++i) {
        const auto value = place * unit_of(curve.like);
        if (value < ranges_[i].first || value > ranges_[i].last) {
            continue;
        }
        if (time) {
            curve.refinements[i].add(place, time->median,
                                     stats::standard_error(stats::with_scatter(*time, scatter_)));
        } else {
            curve.refinements[i].skip(place);
        }
    }
    if (curve.search) {
        if (time) {
            curve.search->add(curve.measured[place]);
        } else {
            curve.search->give_up();
        }
    }
}

bool Agenda::has_room(const Curve& curve) const {
    return curve.tried.size() + curve.beside < most_points_;
}

std::optional<std::pair<std::int64_t, std::string>> Agenda::next_place(Curve& curve) {
    if (!has_room(curve)) {
        return std::nullopt;
    }
    for (std::size_t i = 0; !curve.search && i < curve.refinements.size(); ++i) {
        if (const auto place = curve.refinements[i].next()) {
            return std::pair(*place, plan::purpose_refine);
        }
    }
    if (locating_) {
        if (const auto place = next_of_switches(curve)) {
            return std::pair(*place, plan::purpose_switch);
        }
    }
    return std::nullopt;
}

/// The search starts from the curve as it is once it is fine enough.
std::optional<std::int64_t> Agenda::next_of_switches(Curve& curve) {
    if (!curve.search) {
        std::vector<stats::CurvePoint> points;
        for (const auto& [place, point] : curve.measured) {
            points.push_back(point);
        }
        curve.search.emplace(points, scatter_);
    }
    // What an earlier job has measured for it comes first, in the order of the requests.
    while (const auto place = curve.search->next()) {
        const auto known = curve.of_switches.find(*place);
        if (known == curve.of_switches.end()) {
            return place;
        }
        take(curve, *place, known->second);
    }
    return std::nullopt;
}

/// A point of a search that has not begun: it is used when it is requested.
void Agenda::keep_for_search(Curve& curve, const plan::PointSpec& point,
                             const std::optional<stats::CurvePoint>& time) {
    curve.of_switches[*place_of(point)] = time;
}

}  // namespace fathom::probe
