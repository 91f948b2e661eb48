#include "clock/model.hpp"

#include <cmath>
#include <vector>

namespace fathom::clock {

bool Model::add(const Link& link) {
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

Nanoseconds Model::global(Nanoseconds own) const {
    if (shared_) {
        return own;
    }
    const double offset = fit_ ? fit_->offset_at(own) - static_cast<double>(links_.back().offset.count) : 0;
    return checked_sum(checked_sum(own, links_.back().offset), {std::llround(offset)});
}

Nanoseconds Model::own(Nanoseconds global_time) const {
    if (shared_) {
        return global_time;
    }
    // The slope is tiny: two steps reach the nanosecond.
    auto guess = checked_difference(global_time, links_.back().offset);
    for (int step = 0; step < 3; ++step) {
        guess = checked_sum(guess, checked_difference(global_time, global(guess)));
    }
    return guess;
}

double Model::uncertainty_ns(Nanoseconds own) const {
    if (shared_) {
        return 0;
    }
    if (fit_ && fit_->count >= 3) {
        return fit_->half_interval_at(own);
    }
    return static_cast<double>(drift_over(own - links_.back().at).count);
}

}  // namespace fathom::clock
