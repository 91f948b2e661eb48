#pragma once

#include <cstdint>

#include "clock/link.hpp"

namespace fathom::clock {

/// One exchange of time stamps as the asking side sees it.
struct Ping {
    Nanoseconds sent;      ///< t1, own clock
    Nanoseconds remote;    ///< t2, the other's clock, read between receiving and answering
    Nanoseconds received;  ///< t3, own clock

    [[nodiscard]] Nanoseconds round_trip() const { return received - sent; }
    /// Own clock half-way.
    [[nodiscard]] Nanoseconds middle() const { return {sent.count + round_trip().count / 2}; }
};

/// The result of an exchange of pings.
struct Sounding {
    Link link;               ///< from the asking to the answering clock
    Nanoseconds round_trip;  ///< the smallest
    int pings = 0;
};

/// Learns the offset of a pair of clocks from pings. Each confines it: t2 - t3 <= offset <= t2 - t1. The
/// estimate is the middle at the smallest round trip, and holds at the middle of that ping. The bounds hold
/// then too: they are the intersection over all pings, each widened by what the clocks may have drifted
/// meanwhile.
class PairEstimator {
  public:
    /// Readings are rounded to `resolution` (of the coarser clock): that much wider are the bounds.
    explicit PairEstimator(Nanoseconds resolution = {0}) : resolution_(resolution) {}

    /// Throws NotMeasured if a clock ran backwards, if the clocks are too far apart, or if no offset explains
    /// the pings (a clock was set).
    void add(const Ping& ping);

    /// Whether the smallest round trip has not improved for this many pings in a row.
    [[nodiscard]] bool settled(int patience) const { return since_best_ >= patience; }
    [[nodiscard]] int pings() const { return pings_; }

    /// There must have been a ping.
    [[nodiscard]] Sounding sounding() const;

  private:
    /// Moves the bounds to another time.
    void move_bounds(Nanoseconds to);

    Nanoseconds resolution_;
    int pings_ = 0;
    int since_best_ = 0;
    Ping best_{};
    Ping last_{};
    Nanoseconds at_;  // own clock, for which the bounds hold: the middle of the best ping
    Nanoseconds low_;
    Nanoseconds high_;
};

}  // namespace fathom::clock
