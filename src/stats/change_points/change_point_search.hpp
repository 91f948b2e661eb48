#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "stats/change_points/change_points.hpp"

namespace fathom::stats {

/// Which sizes to measure next so that every change point of a curve is located to the byte, as far as noise
/// allows: next(), measure, add(), until there is no next. Where points scatter, gaps that may hold a jump
/// hidden by noise are searched first; then all change points are bisected, from the smallest size on. All
/// results depend on the points alone: fed with the same ones, a search asks for the same sizes.
class ChangePointSearch {
  public:
    /// The curve, sorted by x, before any change point is located. `scatter` is the least standard error of a
    /// point as a share of its time: `point_scatter`, or 0 in simulation.
    explicit ChangePointSearch(std::span<const CurvePoint> curve, double scatter = 0);

    /// The size to measure next; nothing when all change points are located as well as possible.
    [[nodiscard]] std::optional<std::int64_t> next() const { return next_; }
    /// A measured point, best that of next().
    void add(const CurvePoint& point);
    /// The size asked for cannot be measured: what needs it stays as it is.
    void give_up();

    /// The change points as far as they are known now, by size.
    [[nodiscard]] const std::vector<ChangePoint>& found() const { return found_; }

  private:
    void search();
    std::optional<CurvePoint> measured(std::int64_t x);
    std::vector<ChangePoint> candidates(std::vector<CurvePoint>& curve);
    ChangePoint located(const ChangePoint& candidate, std::vector<CurvePoint>& curve);

    double scatter_;
    std::vector<CurvePoint> curve_;                            ///< what the search starts from
    std::map<std::int64_t, std::optional<CurvePoint>> known_;  ///< nothing: cannot be measured
    std::optional<std::int64_t> next_;
    std::vector<ChangePoint> found_;
};

}  // namespace fathom::stats
