#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "plan/grid.hpp"
#include "plan/plan_toml.hpp"
#include "stats/change_points/change_point_search.hpp"
#include "stats/change_points/refinement.hpp"

namespace fathom::probe {

/// What to do next.
struct Errand {
    plan::PointSpec point;
    bool added = false;  ///< not planned: added where the times required it
};

/// The result of a visit to a point.
struct Visit {
    bool ended = true;                      ///< else it needs another one, later
    std::optional<stats::CurvePoint> time;  ///< its median by size or processes; absent if it failed
    /// An algorithm that was wrong may have left messages under way, or written where it should not have:
    /// nothing else can be measured beside it.
    bool spoilt_job = false;
};

/// Decides on rank 0 which point is measured next: those of the job in their order, or in rounds; then, where
/// ranges are refined, where the curves need more; last, switches bisected to the byte.
class Agenda {
  public:
    /// `scatter` as ChangePointSearch takes it.
    Agenda(const plan::Job& job, std::vector<plan::PointSpec> points, double scatter = 0);

    /// The next point to visit; nothing when all is done.
    std::optional<Errand> next();
    /// Points that are known to be left to visit.
    [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
    /// The result of the visit that next() requested.
    void visited(const plan::PointSpec& point, const Visit& visit);

  private:
    /// The points of one curve: time against size, or against processes.
    struct Curve {
        plan::PointSpec like;
        std::map<std::int64_t, stats::CurvePoint> measured;
        std::set<std::int64_t> tried;  ///< measured, or tried without success
        std::size_t beside = 0;        ///< points of the operation that are not on the curve
        std::vector<stats::Refinement> refinements;
        /// Measured for the search by an earlier job, or tried without success.
        std::map<std::int64_t, std::optional<stats::CurvePoint>> of_switches;
        std::optional<stats::ChangePointSearch> search;
    };
    using Key = std::tuple<std::string, std::int64_t>;

    [[nodiscard]] Key key_of(const plan::PointSpec& point) const;
    /// Where a point lies on its curve, in elements or processes; nothing if it is not on it.
    [[nodiscard]] std::optional<std::int64_t> place_of(const plan::PointSpec& point) const;
    [[nodiscard]] std::int64_t unit_of(const plan::PointSpec& point) const;
    Curve& curve_of(const plan::PointSpec& point);
    void keep_for_search(Curve& curve, const plan::PointSpec& point,
                         const std::optional<stats::CurvePoint>& time);
    void take(Curve& curve, std::int64_t place, const std::optional<stats::CurvePoint>& time);
    /// Where to measure next, and why.
    std::optional<std::pair<std::int64_t, std::string>> next_place(Curve& curve);
    std::optional<std::int64_t> next_of_switches(Curve& curve);
    [[nodiscard]] bool has_room(const Curve& curve) const;

    std::deque<plan::PointSpec> waiting_;
    double scatter_;
    int next_index_;
    bool by_size_ = true;  ///< curves are over sizes, else over processes
    bool refining_ = false;
    bool locating_ = false;
    double epsilon_;
    std::size_t most_points_;
    std::vector<plan::RefinedRange> ranges_;
    std::map<Key, Curve> curves_;
};

}  // namespace fathom::probe
