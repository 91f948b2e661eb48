#include "clock/model.hpp"

#include <cmath>
#include <vector>

namespace fathom::clock {

bool DriftModel::add(const Link& link) {
    links_.push_back(link);
    if (links_.size() > memory) {
        links_.pop_front();
    }
    std::vector<Link> known(links_.begin(), links_.end());
    const bool broken = !steady_drift_possible(known);
    if (broken) {
        // The new drift shows in the two newest.
        known.erase(known.begin(), known.end() - 2);
        links_.assign(known.begin(), known.end());
    }
    fit_ = fit_drift(known);
    return broken;
}

SlopeRange DriftModel::known_slope() const {
    return links_.size() < 2 ? SlopeRange::any() : slope_range(links_.front(), links_.back());
}

Nanoseconds DriftModel::global(Nanoseconds own) const {
    if (shared_) {
        return own;
    }
    if (settled()) {
        return checked_sum(own, fit_->offset_at(own));
    }
    const auto since = static_cast<double>(checked_difference(own, links_.back().at).count);
    return checked_sum(checked_sum(own, links_.back().offset),
                       {std::llround(known_slope().middle() * since)});
}

Nanoseconds DriftModel::own(Nanoseconds global_time) const {
    if (shared_) {
        return global_time;
    }
    // The slope is tiny, so a few iterations converge to the nanosecond.
    auto guess = checked_difference(global_time, links_.back().offset);
    for (int step = 0; step < 4; ++step) {
        guess = checked_sum(guess, checked_difference(global_time, global(guess)));
    }
    return guess;
}

double DriftModel::uncertainty_ns(Nanoseconds own) const {
    if (shared_) {
        return 0;
    }
    if (settled()) {
        return fit_->half_interval_at(own);
    }
    const auto since = static_cast<double>(checked_difference(own, links_.back().at).count);
    return std::ceil(known_slope().half_width() * std::abs(since));
}

}  // namespace fathom::clock
