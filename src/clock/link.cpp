#include "clock/link.hpp"

#include <algorithm>
#include <cmath>

namespace fathom::clock {

TooFarApart::TooFarApart()
    : NotMeasured("two clocks are more than 292 years apart; choose another with --clock") {}

Nanoseconds checked_sum(Nanoseconds a, Nanoseconds b) {
    Nanoseconds sum;
    if (__builtin_add_overflow(a.count, b.count, &sum.count)) {
        throw TooFarApart();
    }
    return sum;
}

Nanoseconds checked_difference(Nanoseconds a, Nanoseconds b) {
    Nanoseconds difference;
    if (__builtin_sub_overflow(a.count, b.count, &difference.count)) {
        throw TooFarApart();
    }
    return difference;
}

Nanoseconds drift_over(Nanoseconds time) {
    return {static_cast<std::int64_t>(
        std::ceil(std::abs(static_cast<double>(time.count)) * drift_limit_ppm * 1e-6))};
}

Nanoseconds Link::bound() const {
    return std::max(checked_difference(high, offset), checked_difference(offset, low));
}

Link reversed(const Link& link) {
    constexpr Nanoseconds zero{0};
    // When the far clock shows that time is itself uncertain by the bound.
    const auto drifted = drift_over(link.bound());
    return {.at = checked_sum(link.at, link.offset),
            .offset = checked_difference(zero, link.offset),
            .low = checked_difference(checked_difference(zero, link.high), drifted),
            .high = checked_sum(checked_difference(zero, link.low), drifted)};
}

Link joined(const Link& near_to_middle, const Link& middle_to_far) {
    const auto middle_time = checked_sum(near_to_middle.at, near_to_middle.offset);
    const auto apart = checked_difference(middle_time, middle_to_far.at);
    const auto drifted = checked_sum(drift_over(apart), drift_over(near_to_middle.bound()));
    return {
        .at = near_to_middle.at,
        .offset = checked_sum(near_to_middle.offset, middle_to_far.offset),
        .low = checked_difference(checked_sum(near_to_middle.low, middle_to_far.low), drifted),
        .high = checked_sum(checked_sum(near_to_middle.high, middle_to_far.high), drifted),
    };
}

}  // namespace fathom::clock
