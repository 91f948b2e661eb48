#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "stats/change_points/switch_scout.hpp"
#include "stats/change_points/switches.hpp"

namespace fathom::stats {

/// The point with an interval that stands for this standard error at least, as a share of its time.
CurvePoint widened(CurvePoint point, double scatter);

/// Bisects all switches of a curve, one after the other from the smallest size on. Where points scatter it
/// first looks into gaps that may hold a jump that noise hides from afar. What it finds depends on the points
/// alone: fed again with the same ones it says the same.
class SwitchHunt {
  public:
    /// Points of one curve are measured at other times and with other memory, so that on a real machine they
    /// scatter more than their intervals say; this is taken for the standard error of each at least, as a
    /// share of its time. Simulated ones scatter not at all.
    static constexpr double real_scatter = 0.01;

    /// The curve, sorted by x, as it is before any switch is looked for more closely.
    explicit SwitchHunt(std::span<const CurvePoint> curve, double scatter = 0);

    /// The size to measure next; nothing when all are found as well as they can be.
    std::optional<std::int64_t> next();
    void add(const CurvePoint& point);
    /// The size that was asked for cannot be measured: the switch stays as it is.
    void give_up();

    /// The switches as far as they are known now, by size.
    [[nodiscard]] std::vector<Switch> found() const;

  private:
    void end_scouting();
    void end_part(std::vector<CurvePoint>& part);
    void end_search();
    void begin_next();

    double scatter_;
    std::map<std::int64_t, CurvePoint> points_;  // all that are known
    std::map<std::int64_t, CurvePoint> curve_;   // those that laws are fitted to
    std::optional<SwitchScouts> scouts_;         // until they are done
    std::vector<Switch> candidates_;             // still to be looked at, the next one last
    std::optional<SwitchSearch> search_;
    std::vector<Switch> found_;
};

}  // namespace fathom::stats
