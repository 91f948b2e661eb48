#include "stats/change_points/switch_hunt.hpp"

#include <algorithm>
#include <cmath>

namespace fathom::stats {

namespace {

/// What is left of a candidate after a closer look is a switch only if it still matters.
bool matters(const Switch& found) {
    constexpr double least_effect = 0.02;
    return !found.jump || std::abs(found.after / found.before - 1) >= least_effect;
}

}  // namespace

CurvePoint widened(CurvePoint point, double scatter) {
    constexpr double sigmas = 1.96;  // of a 95 % interval, either way
    const double reach = sigmas * scatter * point.median;
    point.low = std::min(point.low, point.median - reach);
    point.high = std::max(point.high, point.median + reach);
    return point;
}

SwitchHunt::SwitchHunt(std::span<const CurvePoint> curve, double scatter) : scatter_(scatter) {
    // The slope between near points that scatter says nothing: half an octave apart they do.
    constexpr double least_step = 1.4;
    std::vector<CurvePoint> points;
    for (const auto& point : curve) {
        points_[point.x] = widened(point, scatter);
        const bool near = scatter > 0 && !points.empty() &&
                          static_cast<double>(point.x) < least_step * static_cast<double>(points.back().x);
        if (!near) {
            points.push_back(points_[point.x]);
            curve_[point.x] = points.back();
        }
    }
    candidates_ = find_switches(points);
    if (scatter > 0) {
        scouts_.emplace(points, candidates_);
    }
    std::reverse(candidates_.begin(), candidates_.end());
}

std::optional<std::int64_t> SwitchHunt::next() {
    while (scouts_) {
        const auto place = scouts_->next();
        if (!place) {
            end_scouting();
        } else if (const auto known = points_.find(*place); known != points_.end()) {
            scouts_->add(known->second);
        } else {
            return place;
        }
    }
    while (search_ || !candidates_.empty()) {
        if (!search_) {
            begin_next();
        }
        const auto place = search_->next();
        if (!place) {
            end_search();
            continue;
        }
        const auto known = points_.find(*place);
        if (known == points_.end()) {
            return place;
        }
        curve_[*place] = known->second;
        search_->add(known->second);  // asked for again, if it could not be told: it stays the same
    }
    return std::nullopt;
}

void SwitchHunt::add(const CurvePoint& point) {
    points_[point.x] = widened(point, scatter_);
    if (scouts_) {
        scouts_->add(points_[point.x]);
        return;
    }
    curve_[point.x] = points_[point.x];
    if (search_) {
        search_->add(points_[point.x]);
    }
}

void SwitchHunt::give_up() {
    if (scouts_) {
        scouts_->give_up();
    } else if (search_) {
        end_search();
    }
}

std::vector<Switch> SwitchHunt::found() const {
    auto all = found_;
    if (search_) {
        all.push_back(search_->found());
    }
    all.insert(all.end(), candidates_.rbegin(), candidates_.rend());
    return all;
}

/// What the scouts found parts the curve: bends and jumps that were to explain it may be gone.
void SwitchHunt::end_scouting() {
    auto jumps = scouts_->jumps();
    if (!jumps.empty()) {
        std::ranges::sort(jumps, {}, &Switch::last_below);
        candidates_.clear();
        std::vector<CurvePoint> part;
        auto jump = jumps.begin();
        for (const auto& [place, point] : curve_) {
            if (jump != jumps.end() && place > jump->last_below) {
                end_part(part);
                candidates_.push_back(*jump++);
            }
            part.push_back(point);
        }
        end_part(part);
        std::reverse(candidates_.begin(), candidates_.end());
        for (const auto& point : scouts_->points()) {
            curve_[point.x] = point;
        }
    }
    scouts_.reset();
}

/// The switches of a part of the curve.
void SwitchHunt::end_part(std::vector<CurvePoint>& part) {
    const auto found = find_switches(part);
    candidates_.insert(candidates_.end(), found.begin(), found.end());
    part.clear();
}

void SwitchHunt::begin_next() {
    std::vector<CurvePoint> curve;
    for (const auto& [place, point] : curve_) {
        curve.push_back(point);
    }
    search_.emplace(curve, candidates_.back());
    candidates_.pop_back();
}

void SwitchHunt::end_search() {
    if (const auto found = search_->found(); matters(found)) {
        found_.push_back(found);
    }
    search_.reset();
}

}  // namespace fathom::stats
