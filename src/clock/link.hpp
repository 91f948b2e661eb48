#pragma once

#include "base/error.hpp"
#include "base/units.hpp"

/// The mathematics of clocks: no MPI and no real time in here.
namespace fathom::clock {

/// How far one clock (the far one) is ahead of another (the near one), with hard bounds.
struct Link {
    Nanoseconds at;      ///< near clock when it holds
    Nanoseconds offset;  ///< far minus near, best estimate
    Nanoseconds low;     ///< the truth at that time lies between low and high, as long as the clocks do not
    Nanoseconds high;    ///< drift apart faster than drift_limit_ppm

    /// The largest error that `offset` can have.
    [[nodiscard]] Nanoseconds bound() const;
    [[nodiscard]] bool contains(Nanoseconds value) const { return low <= value && value <= high; }

    friend bool operator==(const Link&, const Link&) = default;
};

/// The assumed maximum drift between two clocks: twice that of the worst crystals, and as much as the
/// kernel slews a clock for NTP.
inline constexpr double drift_limit_ppm = 500;

/// The most that two clocks drift apart in a time, rounded up.
Nanoseconds drift_over(Nanoseconds time);

/// Clocks whose difference is beyond what can be computed with.
class TooFarApart : public NotMeasured {
  public:
    TooFarApart();
};

/// a + b and a - b, or TooFarApart if that does not fit 64 bits: clocks more than 292 years apart.
Nanoseconds checked_sum(Nanoseconds a, Nanoseconds b);
Nanoseconds checked_difference(Nanoseconds a, Nanoseconds b);

/// The same link seen from the other end.
Link reversed(const Link& link);

/// From near over a middle clock to far. It holds when the first link does; the second is widened by what may
/// have drifted between the two.
Link joined(const Link& near_to_middle, const Link& middle_to_far);

}  // namespace fathom::clock
