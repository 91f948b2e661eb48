#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "stats/change_points/switches.hpp"

namespace fathom::stats {

/// Two neighbours of a curve between which there may be a jump.
struct Suspect {
    CurvePoint low;
    CurvePoint high;
    double significance = 0;  ///< standard errors that a neighbour lies off the law of the other side
};

/// The gaps of a curve (sorted by x) where the laws of both sides disagree by 5 % of the time and by more
/// than chance often does: too little for a switch, too much to pass by. Jumps that are known part the curve.
/// The most suspicious first.
std::vector<Suspect> find_suspects(std::span<const CurvePoint> curve, std::span<const Switch> known);

/// Looks into one gap. Points far apart tell a jump from a bend only if both laws are well known; near to a
/// jump hardly anything but its height counts, so noise that hides it from afar does not from near by.
class SwitchScout {
  public:
    /// The points next to the gap, `before` and `after` it where the curve goes on.
    SwitchScout(const Suspect& gap, std::optional<CurvePoint> before, std::optional<CurvePoint> after);

    /// The size to measure next: quarters of the gap, then the middle of where the step is. Nothing when the
    /// gap holds none, or when it is known to a small part of the gap.
    [[nodiscard]] std::optional<std::int64_t> next() const;
    void add(const CurvePoint& point);

    /// Where the times change by more than noise and slope explain, and stay changed; once next() is done.
    [[nodiscard]] std::optional<Switch> jump() const;

  private:
    /// A step between two neighbours, beyond what the slope of the rest of the gap makes.
    struct Step {
        CurvePoint low;
        CurvePoint high;
        double usual_slope = 0;
        double excess = 0;
        [[nodiscard]] double sigmas() const;
        [[nodiscard]] double share() const;
    };

    [[nodiscard]] std::int64_t quarter(std::int64_t i) const;
    [[nodiscard]] std::optional<Step> steepest() const;
    [[nodiscard]] bool stays(const Step& step) const;
    [[nodiscard]] Estimate level(std::span<const CurvePoint> nearest_first, double usual_slope) const;

    std::map<std::int64_t, CurvePoint> points_;
    std::int64_t low_;
    std::int64_t high_;
    std::optional<CurvePoint> before_;
    std::optional<CurvePoint> after_;
};

/// Looks into the gaps of a curve that are suspicious, one after the other.
class SwitchScouts {
  public:
    /// The curve, sorted by x, and the switches that need no scout.
    SwitchScouts(std::vector<CurvePoint> curve, std::vector<Switch> known);

    /// As of SwitchHunt.
    std::optional<std::int64_t> next();
    void add(const CurvePoint& point);
    void give_up();

    [[nodiscard]] const std::vector<Switch>& jumps() const { return jumps_; }
    /// Those measured in gaps that hold a jump.
    [[nodiscard]] const std::vector<CurvePoint>& points() const { return points_; }

  private:
    void begin_next();
    void end_scout();

    std::vector<CurvePoint> curve_;
    std::vector<Switch> known_;
    std::set<std::int64_t> seen_;  ///< the lower ends of gaps
    std::optional<SwitchScout> scout_;
    std::vector<CurvePoint> own_points_;  ///< of the scout
    std::vector<Switch> jumps_;
    std::vector<CurvePoint> points_;
};

}  // namespace fathom::stats
