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
    // The offset is confined at some moment within the round trip; the bounds are kept for its end.
    const auto during = drift_over(round_trip);
    auto low = checked_difference(checked_difference(ping.remote, ping.received), during);
    auto high = checked_sum(checked_difference(ping.remote, ping.sent), during);
    if (!first) {
        const auto since = drift_over(checked_difference(ping.received, last_.received));
        low = std::max(low, checked_difference(low_, since));
        high = std::min(high, checked_sum(high_, since));
    }
    if (low > high) {
        throw NotMeasured("a clock was set or jumped while it was compared; choose another with --clock");
    }
    low_ = low;
    high_ = high;
    last_ = ping;
    if (first || round_trip < best_.round_trip()) {
        best_ = ping;
        since_best_ = 0;
    } else {
        ++since_best_;
    }
    ++pings_;
}

Sounding PairEstimator::sounding() const {
    const Nanoseconds middle{best_.sent.count + best_.round_trip().count / 2};
    const auto offset = std::clamp(checked_difference(best_.remote, middle), low_, high_);
    return {.link = {.at = last_.received, .offset = offset, .low = low_, .high = high_},
            .round_trip = best_.round_trip(),
            .pings = pings_};
}

}  // namespace fathom::clock
