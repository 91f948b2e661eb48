#include "stats/change_points/change_points.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "stats/change_points/boundary.hpp"

namespace fathom::stats {
namespace {

/// No curve is quite straight: a deviation of this share of the time is none, even without noise.
constexpr double straight = least_effect / 10;

/// A change point in a part of a curve: it lies between part[below] and part[above].
struct Candidate {
    /// Next to a jump the curve looks bent, and next to either its end looks cut off, but not the other way
    /// round.
    enum class Kind { end, bend, jump };

    Kind kind;
    double rank;
    std::size_t below;
    std::size_t above;
    ChangePoint found;
    bool operator<(const Candidate& other) const {
        return std::tie(kind, rank) < std::tie(other.kind, other.rank);
    }
};

bool follows(const LocalLine& line, const CurvePoint& point) {
    const double off = std::abs(point.median - line.at(static_cast<double>(point.x)).value);
    return line.z_score(point) < agreeing || off < straight * point.median;
}

/// A single point at the end of the curve that the line of all others does not explain.
bool is_end(const Boundary& sides) {
    const auto& point = sides.below.slope_known() ? sides.above.nearest() : sides.below.nearest();
    return sides.separation_at(static_cast<double>(point.x)).matters();
}

/// Whether the lines, each continuing to bend as it does, are apart on both sides of the gap in the same
/// direction. A line that reaches across a change point further away is not: it meets the other next to the
/// gap.
bool is_jump(const Boundary& sides, const ChangePoint& found) {
    const double sign = found.after > found.before ? 1 : -1;
    const auto apart_at = [&](const CurvePoint& point) {
        const auto x = static_cast<double>(point.x);
        const auto before = sides.below.at(x);
        const auto after = sides.above.at(x);
        const double apart = after.value - sides.above.bias(x) - before.value + sides.below.bias(x);
        return sign * apart >
               std::max(agreeing * std::hypot(before.error, after.error), straight * point.median);
    };
    return sides.separation_at(sides.nearest_place()).matters() && apart_at(sides.below.nearest()) &&
           apart_at(sides.above.nearest());
}

bool is_bend(const Boundary& sides) {
    const auto matters_at = [&](const CurvePoint& point) {
        return sides.separation_at(static_cast<double>(point.x), Boundary::margin_of_bend).matters();
    };
    return matters_at(sides.below.nearest()) || matters_at(sides.above.nearest());
}

/// The gap with the bend has the whole change of slope, its neighbours a part of it.
double rank_of_bend(const Boundary& sides) {
    const auto before = sides.below.slope();
    const auto after = sides.above.slope();
    return std::abs(after.value - before.value) - 2 * std::hypot(before.error, after.error);
}

/// Near a bend both lines hold: it lies between the nearest points that only one of them explains. Whether
/// each line then keeps two points.
bool widen(Candidate& bend, std::span<const CurvePoint> part, const Boundary& sides) {
    while (bend.above < part.size() && follows(sides.below, part[bend.above])) {
        ++bend.above;
    }
    while (bend.below > 0 && follows(sides.above, part[bend.below])) {
        --bend.below;
    }
    if (bend.below < 1 || bend.above + 2 > part.size()) {
        return false;
    }
    bend.found.last_below = part[bend.below].x;
    bend.found.first_above = part[bend.above].x;
    return true;
}

/// What the gap before part[gap] shows. Three points on one side distinguish a change from a curvature.
std::optional<Candidate> candidate(std::span<const CurvePoint> part, std::size_t gap) {
    constexpr std::size_t enough = 3;
    const auto below = gap;
    const auto above = part.size() - gap;
    if (std::max(below, above) < enough) {
        return std::nullopt;
    }
    const Boundary sides(part, gap);
    const auto found = sides.change_point();
    const auto made = [&](Candidate::Kind kind, double rank) {
        return Candidate{.kind = kind, .rank = rank, .below = gap - 1, .above = gap, .found = found};
    };
    if (below == 1 || above == 1) {
        return is_end(sides) ? std::optional(made(Candidate::Kind::end, found.significance)) : std::nullopt;
    }
    // A line through two points says nothing if one of them belongs to the other side.
    if ((below == 2 && follows(sides.above, part[gap - 1])) ||
        (above == 2 && follows(sides.below, part[gap]))) {
        return std::nullopt;
    }
    if (found.jump) {
        return is_jump(sides, found) ? std::optional(made(Candidate::Kind::jump, found.significance))
                                     : std::nullopt;
    }
    auto bend = made(Candidate::Kind::bend, rank_of_bend(sides));
    return is_bend(sides) && widen(bend, part, sides) ? std::optional(bend) : std::nullopt;
}

/// The clearest change point first; then those on either side of it, whose lines no longer reach across.
void find_in(std::span<const CurvePoint> part, std::vector<ChangePoint>& found) {
    std::optional<Candidate> best;
    for (std::size_t gap = 1; gap < part.size(); ++gap) {
        const auto here = candidate(part, gap);
        if (here && (!best || *best < *here)) {
            best = here;
        }
    }
    if (!best) {
        return;
    }
    find_in(part.first(best->below + 1), found);
    found.push_back(best->found);
    find_in(part.subspan(best->above), found);
}

std::string times_text(double ratio) {
    constexpr double small = 1.2;
    constexpr double large = 10;
    return fmt::format("{:.{}f} times", ratio, ratio < small ? 2 : ratio < large ? 1 : 0);
}

}  // namespace

std::vector<ChangePoint> find_change_points(std::span<const CurvePoint> curve) {
    std::vector<ChangePoint> found;
    find_in(curve, found);
    return found;
}

std::string switch_text(const ChangePoint& found, std::int64_t element) {
    const auto place = found.first_above == found.last_below + element
                           ? fmt::format("at {} B", found.last_below)
                           : fmt::format("between {} B and {} B", found.last_below, found.first_above);
    if (found.jump) {
        const auto [less, more] = std::minmax(found.before, found.after);
        return fmt::format("switch {}, {} {} above", place, times_text(more / less),
                           found.after >= found.before ? "slower" : "faster");
    }
    const auto [less, more] = std::minmax(found.slope_before, found.slope_after);
    const std::string_view word = found.slope_after >= found.slope_before ? "steeper" : "flatter";
    // A slope that is nothing, or falls, has no multiple.
    return less > 0 ? fmt::format("bend {}, {} {} above", place, times_text(more / less), word)
                    : fmt::format("bend {}, {} above", place, word);
}

}  // namespace fathom::stats
