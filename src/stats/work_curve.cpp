#include "stats/work_curve.hpp"

#include <algorithm>

namespace fathom::stats {

WorkCurve::WorkCurve(double base_threshold, double stop_threshold)
    : base_threshold_(base_threshold), stop_threshold_(stop_threshold) {}

void WorkCurve::add(double work, double time) {
    const auto so_far = base();
    if (!closed_ && so_far && time > *so_far * base_threshold_) {
        closed_ = true;
        first_work_beyond_ = work;
    }
    if (!closed_) {
        base_sum_ += time;
        ++base_steps_;
    }
    last_work_ = work;
    last_time_ = time;
}

std::optional<double> WorkCurve::base() const {
    return base_steps_ == 0 ? std::nullopt : std::optional(base_sum_ / static_cast<double>(base_steps_));
}

bool WorkCurve::stops(double transfer) const {
    const auto mean = base();
    return mean && last_time_ > *mean * stop_threshold_ &&
           last_work_ > std::max(*mean, transfer) * work_beyond_transfer;
}

double base_threshold_for(double relative_noise) {
    constexpr double least = 1.02;
    constexpr double most = 1.05;
    constexpr double sigmas = 3;
    return std::clamp(1 + sigmas * relative_noise, least, most);
}

}  // namespace fathom::stats
