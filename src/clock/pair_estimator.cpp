#include "clock/pair_estimator.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace fathom::clock {

void PairEstimator::add(const Ping& ping) {
    const auto round_trip = checked_difference(ping.received, ping.sent);
    const bool first = pings_ == 0;
    if (round_trip.count < 0 || (!first && (ping.sent < last_.received || ping.remote < last_.remote))) {
        throw NotMeasured("a clock ran backwards; choose another with --clock");
    }
    const auto low = checked_difference(checked_difference(ping.remote, ping.received), resolution_);
    const auto high = checked_sum(checked_difference(ping.remote, ping.sent), resolution_);
    const bool best = first || round_trip < best_.round_trip();
    if (first) {
        at_ = ping.middle();
    } else if (best) {
        move_bounds(ping.middle());
    }
    // The other clock was read at some moment of the round trip: that far, at most, from where bounds hold.
    const auto away = std::max(checked_difference(ping.received, at_), checked_difference(at_, ping.sent));
    const auto drifted = drift_over(away);
    const auto widened_low = checked_difference(low, drifted);
    const auto widened_high = checked_sum(high, drifted);
    low_ = first ? widened_low : std::max(low_, widened_low);
    high_ = first ? widened_high : std::min(high_, widened_high);
    if (low_ > high_) {
        throw NotMeasured("a clock was set or jumped while it was compared; choose another with --clock");
    }
    last_ = ping;
    best_ = best ? ping : best_;
    since_best_ = best ? 0 : since_best_ + 1;
    ++pings_;
}

void PairEstimator::move_bounds(Nanoseconds to) {
    const auto drifted = drift_over(checked_difference(to, at_));
    low_ = checked_difference(low_, drifted);
    high_ = checked_sum(high_, drifted);
    at_ = to;
}

Sounding PairEstimator::sounding() const {
    // Other pings may exclude the middle; then the nearest that they allow is better.
    const auto offset = std::clamp(checked_difference(best_.remote, at_), low_, high_);
    return {.link = {.at = at_, .offset = offset, .low = low_, .high = high_},
            .round_trip = best_.round_trip(),
            .pings = pings_};
}

}  // namespace fathom::clock
