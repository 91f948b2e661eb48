#include "stats/change_points/change_point_search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "stats/change_points/boundary.hpp"

namespace fathom::stats {
namespace {

/// Standard errors that make a gap worth measuring in: chance makes one of twenty so, at a few points each.
constexpr double suspicious = 2;
/// The least jump that is searched for in noise: neighbours on a real machine may differ by a twentieth for
/// reasons that no further point shows.
constexpr double least_hidden_jump = 0.1;
/// Gaps of one curve that are searched, which bounds the points spent in vain.
constexpr std::size_t most_gaps = 4;
/// Into how many parts a gap is divided: one point more than a line has parameters.
constexpr std::int64_t parts = 4;

std::int64_t halfway(std::int64_t low, std::int64_t high) {
    return low + (high - low) / 2;
}

std::span<const CurvePoint> from(std::span<const CurvePoint> curve, std::int64_t x) {
    return {std::ranges::lower_bound(curve, x, {}, &CurvePoint::x), curve.end()};
}

std::span<const CurvePoint> up_to(std::span<const CurvePoint> curve, std::int64_t x) {
    return {curve.begin(), std::ranges::upper_bound(curve, x, {}, &CurvePoint::x)};
}

/// The points that no other change point parts from those next to a gap.
std::span<const CurvePoint> part_around(std::int64_t low, std::int64_t high,
                                        std::span<const CurvePoint> curve,
                                        std::span<const ChangePoint> others) {
    for (const auto& other : others) {
        if (other.first_above <= low) {
            curve = from(curve, other.first_above);
        } else if (other.last_below >= high) {
            curve = up_to(curve, other.last_below);
        }
    }
    return curve;
}

void insert(std::vector<CurvePoint>& curve, const CurvePoint& point) {
    const auto at = std::ranges::lower_bound(curve, point.x, {}, &CurvePoint::x);
    if (at != curve.end() && at->x == point.x) {
        *at = point;
    } else {
        curve.insert(at, point);
    }
}

struct Gap {
    std::int64_t low;
    std::int64_t high;

    [[nodiscard]] bool holds(const ChangePoint& at) const {
        return at.jump && at.last_below >= low && at.first_above <= high;
    }
};

/// Gaps whose sides disagree by less than at a change point, but by more than chance often explains; the most
/// suspicious first.
std::vector<Gap> suspicious_gaps(std::span<const CurvePoint> curve, std::span<const ChangePoint> known) {
    // Known jumps part the curve, but a line of one or two points may reach across a jump itself.
    constexpr std::size_t points_of_a_line = 3;
    std::vector<ChangePoint> jumps;
    std::ranges::copy_if(known, std::back_inserter(jumps), [&](const ChangePoint& at) {
        return at.jump && up_to(curve, at.last_below).size() >= points_of_a_line &&
               from(curve, at.first_above).size() >= points_of_a_line;
    });
    std::multimap<double, Gap, std::greater<>> gaps;
    for (std::size_t i = 1; i < curve.size(); ++i) {
        const Gap gap{.low = curve[i - 1].x, .high = curve[i].x};
        const auto part = part_around(gap.low, gap.high, curve, jumps);
        if (gap.high - gap.low < parts || part.size() < points_of_a_line ||
            std::ranges::any_of(jumps, [&](const ChangePoint& at) { return gap.holds(at); })) {
            continue;
        }
        const Boundary sides(part, up_to(part, gap.low).size());
        const auto suspicion_at = [&](std::int64_t x) {
            const auto apart = sides.separation_at(static_cast<double>(x), 1);
            return apart.share >= least_hidden_jump ? apart.z_score : 0;
        };
        const double most = std::max(suspicion_at(gap.low), suspicion_at(gap.high));
        if (most >= suspicious) {
            gaps.emplace(most, gap);
        }
    }
    std::vector<Gap> sorted;
    std::ranges::transform(gaps, std::back_inserter(sorted), [](const auto& gap) { return gap.second; });
    return sorted;
}

/// Assigns the points in the gap of a change point to one of its sides.
class Bisection {
  public:
    Bisection(std::span<const CurvePoint> part, const ChangePoint& candidate)
        : points_(outside(part, candidate)),
          count_below_(up_to(points_, candidate.last_below).size()),
          sides_(points_, count_below_) {}

    /// The middle of the gap; once sizes in it were unclear, the middle of what is left beside them.
    [[nodiscard]] std::optional<std::int64_t> next() const {
        const auto low = sides_.below.nearest().x;
        const auto high = sides_.above.nearest().x;
        if (unclear_.empty()) {
            return high - low > 1 ? std::optional(halfway(low, high)) : std::nullopt;
        }
        // The edges of what is unclear are located to this share of the gap, which stays wide anyway.
        constexpr std::int64_t edge_share = 8;
        const auto left = *unclear_.begin() - low;
        const auto right = high - *unclear_.rbegin();
        if (std::max(left, right) <= std::max<std::int64_t>(1, (high - low) / edge_share)) {
            return std::nullopt;
        }
        return left >= right ? halfway(low, *unclear_.begin()) : halfway(*unclear_.rbegin(), high);
    }

    /// Whether the point belongs to one side. Points outside the gap are ignored.
    bool add(const CurvePoint& point) {
        if (point.x <= sides_.below.nearest().x || point.x >= sides_.above.nearest().x) {
            return true;
        }
        const auto side = side_of(point);
        if (side == Side::unclear) {
            return false;
        }
        points_.insert(points_.begin() + static_cast<std::ptrdiff_t>(count_below_), point);
        count_below_ += side == Side::below ? 1 : 0;
        sides_ = Boundary(points_, count_below_);
        // Sizes beyond the point lie on its side too.
        std::erase_if(unclear_,
                      [&](std::int64_t x) { return side == Side::below ? x <= point.x : x >= point.x; });
        return true;
    }

    void mark_unclear(std::int64_t x) { unclear_.insert(x); }

    [[nodiscard]] ChangePoint found() const { return sides_.change_point(); }

  private:
    enum class Side { below, above, unclear };

    static std::vector<CurvePoint> outside(std::span<const CurvePoint> part, const ChangePoint& candidate) {
        std::vector<CurvePoint> points(part.begin(), part.end());
        std::erase_if(points, [&](const CurvePoint& point) {
            return point.x > candidate.last_below && point.x < candidate.first_above;
        });
        return points;
    }

    [[nodiscard]] Side side_of(const CurvePoint& point) const {
        constexpr double rounding = 1e-9;
        constexpr double nearer = 0.5;  // a point far from both lines follows neither
        const auto& [below, above] = sides_;
        const auto x = static_cast<double>(point.x);
        const double off_below = std::abs(point.median - below.at(x).value);
        const double off_above = std::abs(point.median - above.at(x).value);
        if (std::max(off_below, off_above) <= rounding * std::abs(point.median)) {
            return Side::below;  // where two lines meet both hold
        }
        // A line of one point has a borrowed slope: what does not follow the other line follows this one.
        if (below.z_score(point) > significant && (off_above <= nearer * off_below || !above.slope_known())) {
            return Side::above;
        }
        if (above.z_score(point) > significant && (off_below <= nearer * off_above || !below.slope_known())) {
            return Side::below;
        }
        return Side::unclear;
    }

    std::vector<CurvePoint> points_;
    std::size_t count_below_;
    Boundary sides_;
    std::set<std::int64_t> unclear_;
};

}  // namespace

ChangePointSearch::ChangePointSearch(std::span<const CurvePoint> curve, double scatter) : scatter_(scatter) {
    // The slope between near points that scatter says nothing: half an octave apart they do.
    constexpr double least_step = 1.4;
    for (const auto& point : curve) {
        const auto wide = with_scatter(point, scatter);
        known_[point.x] = wide;
        const bool near = scatter > 0 && !curve_.empty() &&
                          static_cast<double>(point.x) < least_step * static_cast<double>(curve_.back().x);
        if (!near) {
            curve_.push_back(wide);
        }
    }
    search();
}

void ChangePointSearch::add(const CurvePoint& point) {
    known_[point.x] = with_scatter(point, scatter_);
    search();
}

void ChangePointSearch::give_up() {
    if (next_) {
        known_[*next_] = std::nullopt;
        search();
    }
}

/// A known point. The first one that is missing is the next to measure: whoever needs it stops there.
std::optional<CurvePoint> ChangePointSearch::measured(std::int64_t x) {
    const auto known = known_.find(x);
    if (known == known_.end()) {
        next_ = next_.value_or(x);
        return std::nullopt;
    }
    return known->second;
}

/// Replays the whole search with the points known so far, so that there is no state but them.
void ChangePointSearch::search() {
    next_.reset();
    found_.clear();
    auto curve = curve_;
    for (const auto& candidate : candidates(curve)) {
        const auto found = next_ ? candidate : located(candidate, curve);
        if (!found.jump || std::abs(found.after / found.before - 1) >= least_effect) {
            found_.push_back(found);
        }
    }
}

/// The change points that the curve shows and, where points scatter, jumps that noise hides. Points far apart
/// distinguish a jump from a bend only if both lines are well known; near a jump hardly anything but its
/// height counts. So suspicious gaps are divided; if that shows a jump, the points stay in the curve.
std::vector<ChangePoint> ChangePointSearch::candidates(std::vector<CurvePoint>& curve) {
    auto known = find_change_points(curve);
    std::set<std::int64_t> searched;
    while (scatter_ > 0 && searched.size() < most_gaps) {
        const auto gaps = suspicious_gaps(curve, known);
        const auto gap =
            std::ranges::find_if(gaps, [&](const Gap& at) { return !searched.contains(at.low); });
        if (gap == gaps.end()) {
            break;
        }
        searched.insert(gap->low);
        auto dense = curve;
        for (std::int64_t i = 1; i < parts; ++i) {
            if (const auto point = measured(gap->low + i * (gap->high - gap->low) / parts)) {
                insert(dense, *point);
            }
        }
        if (next_) {
            break;
        }
        auto found = find_change_points(dense);
        if (std::ranges::any_of(found, [&](const ChangePoint& at) { return gap->holds(at); })) {
            curve = std::move(dense);
            known = std::move(found);
        }
    }
    return known;
}

/// Bisects one candidate; points measured for it join the curve.
ChangePoint ChangePointSearch::located(const ChangePoint& candidate, std::vector<CurvePoint>& curve) {
    const auto part =
        part_around(candidate.last_below, candidate.first_above, curve, find_change_points(curve));
    Bisection bisection(part, candidate);
    for (const auto& point : curve) {
        bisection.add(point);  // near a bend, points that both lines explain
    }
    while (const auto x = bisection.next()) {
        const auto point = measured(*x);
        if (!point) {
            break;
        }
        insert(curve, *point);
        if (!bisection.add(*point)) {
            bisection.mark_unclear(*x);
        }
    }
    return bisection.found();
}

}  // namespace fathom::stats
