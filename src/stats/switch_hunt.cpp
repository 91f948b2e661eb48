#include "stats/switch_hunt.hpp"

#include <algorithm>

namespace fathom::stats {

SwitchHunt::SwitchHunt(std::span<const CurvePoint> curve) : candidates_(find_switches(curve)) {
    std::reverse(candidates_.begin(), candidates_.end());
    for (const auto& point : curve) {
        points_[point.x] = point;
    }
}

std::optional<std::int64_t> SwitchHunt::next() {
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
        search_->add(known->second);  // it could not be told: what is known of it stays the same
    }
    return std::nullopt;
}

void SwitchHunt::add(const CurvePoint& point) {
    points_[point.x] = point;
    if (search_) {
        search_->add(point);
    }
}

void SwitchHunt::give_up() {
    if (search_) {
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

void SwitchHunt::begin_next() {
    std::vector<CurvePoint> curve;
    for (const auto& [place, point] : points_) {
        curve.push_back(point);
    }
    search_.emplace(curve, candidates_.back());
    candidates_.pop_back();
}

void SwitchHunt::end_search() {
    found_.push_back(search_->found());
    search_.reset();
}

}  // namespace fathom::stats
