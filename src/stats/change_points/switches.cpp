#include "stats/change_points/switches.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

namespace fathom::stats {
namespace {

/// Standard errors that two laws must disagree by: chance does so once in 16,000.
constexpr double sure = 4;
/// Share of the time that two laws must disagree by to be worth a word.
constexpr double least_effect = 0.02;
/// Standard errors within which a point may still follow a law, and the share of its time that says nothing
/// even without noise: no curve is quite straight.
constexpr double on_the_line = 3;
constexpr double least_share = least_effect / 10;
/// A slope that changes by less than half is the curvature of a smooth curve: 1 / 1.5 of the steeper one.
constexpr double same_slope = 1 / 3.0;

/// How many times what we know of the curvature may explain a jump; and a bend, which resembles it more.
constexpr double margin_of_jump = 2;
constexpr double margin_of_bend = 4;

/// How far apart two laws are at one place, beyond what curvature explains.
struct Disagreement {
    double sigmas = 0;
    double share = 0;  ///< of the time
    [[nodiscard]] bool matters() const { return sigmas >= sure && share >= least_effect; }
};

Disagreement disagreement(const LocalLaw& below, const LocalLaw& above, double x,
                          double margin = margin_of_jump) {
    const auto before = below.at(x);
    const auto after = above.at(x);
    const double apart =
        std::abs(after.value - before.value) - margin * std::abs(above.bias(x) - below.bias(x));
    const double time = std::min(std::abs(before.value), std::abs(after.value));
    return {std::max(0.0, apart) / std::hypot(before.error, after.error), std::max(0.0, apart) / time};
}

/// Whether the two slopes are the same as far as noise lets us tell, or nearly so.
bool parallel(const LocalLaw& below, const LocalLaw& above) {
    const auto before = below.slope();
    const auto after = above.slope();
    const double change = std::abs(after.value - before.value);
    return !below.slope_known() || !above.slope_known() ||
           change < same_slope * std::max(std::abs(before.value), std::abs(after.value)) ||
           change < sure * std::hypot(before.error, after.error);
}

double middle_of_gap(const LocalLaw& below, const LocalLaw& above) {
    return static_cast<double>(below.nearest().x) +
           static_cast<double>(above.nearest().x - below.nearest().x) / 2;
}

/// The place in the gap at which two laws are nearest to each other; half way if they are parallel.
double nearest_place(const LocalLaw& below, const LocalLaw& above) {
    if (parallel(below, above)) {
        return middle_of_gap(below, above);
    }
    const auto low = static_cast<double>(below.nearest().x);
    const auto high = static_cast<double>(above.nearest().x);
    const double apart = above.at(low).value - below.at(low).value;
    return std::clamp(low - apart / (above.slope().value - below.slope().value), low, high);
}

/// Points below a gap, or above one, the nearest first.
std::vector<CurvePoint> reversed(std::span<const CurvePoint> points) {
    return {points.rbegin(), points.rend()};
}

struct Laws {
    LocalLaw below;
    LocalLaw above;
};

/// Those on both sides of the gap before part[gap].
Laws laws_around(std::span<const CurvePoint> part, std::size_t gap) {
    const auto points_below = reversed(part.first(gap));
    const LocalLaw below(points_below);
    const LocalLaw above(part.subspan(gap), &below);
    return {LocalLaw(points_below, &above), above};
}

/// Next to a jump the curve looks bent, and next to either its end looks cut off, but not the other way
/// round.
enum class Kind { end, bend, jump };

/// A switch in a part of a curve: it lies between part[below] and part[above].
struct Candidate {
    Switch found;
    std::size_t below;
    std::size_t above;
    Kind kind;
    double rank;
    bool operator<(const Candidate& other) const {
        return kind != other.kind ? kind < other.kind : rank < other.rank;
    }
};

bool follows(const LocalLaw& law, const CurvePoint& point) {
    const double off = std::abs(point.median - law.at(static_cast<double>(point.x)).value);
    return law.sigmas_off(point) < on_the_line || off < least_share * point.median;
}

/// Near a bend both laws hold: it lies between the nearest points that only one of them explains. Whether
/// each law then keeps two points.
bool widen(Candidate& bend, std::span<const CurvePoint> part, const Laws& laws) {
    while (bend.above < part.size() && follows(laws.below, part[bend.above])) {
        ++bend.above;
    }
    while (bend.below > 0 && follows(laws.above, part[bend.below])) {
        --bend.below;
    }
    if (bend.below < 1 || bend.above + 2 > part.size()) {
        return false;
    }
    bend.found.last_below = part[bend.below].x;
    bend.found.first_above = part[bend.above].x;
    return true;
}

/// A single point at the end of the curve that the law of all others does not explain.
std::optional<Candidate> end_candidate(const Laws& laws, std::size_t gap) {
    const auto& point = laws.below.slope_known() ? laws.above.nearest() : laws.below.nearest();
    if (!disagreement(laws.below, laws.above, static_cast<double>(point.x)).matters()) {
        return std::nullopt;
    }
    const auto found = between(laws.below, laws.above);
    return Candidate{found, gap - 1, gap, Kind::end, found.significance};
}

/// Whether the laws, each going on to bend as it does, are apart at a point in the given direction. A law
/// that reaches across a switch further away is not: it meets the other at the point next to the gap.
bool apart_at(const Laws& laws, const CurvePoint& point, bool upwards) {
    const auto x = static_cast<double>(point.x);
    const auto before = laws.below.at(x);
    const auto after = laws.above.at(x);
    const double apart = after.value - laws.above.bias(x) - before.value + laws.below.bias(x);
    return (upwards ? apart : -apart) >
           std::max(on_the_line * std::hypot(before.error, after.error), least_share * point.median);
}

std::optional<Candidate> jump_candidate(const Laws& laws, std::size_t gap, const Switch& found) {
    const bool upwards = found.after > found.before;
    if (!disagreement(laws.below, laws.above, nearest_place(laws.below, laws.above)).matters() ||
        !apart_at(laws, laws.below.nearest(), upwards) || !apart_at(laws, laws.above.nearest(), upwards)) {
        return std::nullopt;
    }
    return Candidate{found, gap - 1, gap, Kind::jump, found.significance};
}

std::optional<Candidate> bend_candidate(std::span<const CurvePoint> part, const Laws& laws, std::size_t gap,
                                        const Switch& found) {
    const auto matters_at = [&](const CurvePoint& point) {
        return disagreement(laws.below, laws.above, static_cast<double>(point.x), margin_of_bend).matters();
    };
    if (!matters_at(part[gap - 1]) && !matters_at(part[gap])) {
        return std::nullopt;
    }
    // The gap with the bend has the whole change of slope, its neighbours a part of it.
    const auto before = laws.below.slope();
    const auto after = laws.above.slope();
    const double change = std::abs(after.value - before.value) - 2 * std::hypot(before.error, after.error);
    Candidate bend{found, gap - 1, gap, Kind::bend, change};
    return widen(bend, part, laws) ? std::optional(bend) : std::nullopt;
}

/// What the gap before part[gap] shows. Three points on one side tell a switch from a curvature.
std::optional<Candidate> candidate(std::span<const CurvePoint> part, std::size_t gap) {
    constexpr std::size_t enough = 3;
    const auto below = gap;
    const auto above = part.size() - gap;
    if (std::max(below, above) < enough) {
        return std::nullopt;
    }
    const auto laws = laws_around(part, gap);
    if (below == 1 || above == 1) {
        return end_candidate(laws, gap);
    }
    // A line through two points says nothing if one of them belongs to the other side.
    if ((below == 2 && follows(laws.above, part[gap - 1])) ||
        (above == 2 && follows(laws.below, part[gap]))) {
        return std::nullopt;
    }
    const auto found = between(laws.below, laws.above);
    return found.jump ? jump_candidate(laws, gap, found) : bend_candidate(part, laws, gap, found);
}

/// The clearest switch first; then those on either side of it, whose laws no longer reach across.
void find_in(std::span<const CurvePoint> part, std::vector<Switch>& found) {
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

std::string place_text(const Switch& found, std::int64_t element) {
    return found.first_above == found.last_below + element
               ? fmt::format("at {} B", found.last_below)
               : fmt::format("between {} B and {} B", found.last_below, found.first_above);
}

std::string times_text(double ratio) {
    constexpr double small = 1.2;
    constexpr double large = 10;
    return fmt::format("{:.{}f} times", ratio, ratio < small ? 2 : ratio < large ? 1 : 0);
}

}  // namespace

Switch between(const LocalLaw& below, const LocalLaw& above) {
    const double nearest = nearest_place(below, above);
    const auto there = disagreement(below, above, nearest);
    Switch found;
    found.last_below = below.nearest().x;
    found.first_above = above.nearest().x;
    found.jump = parallel(below, above) || there.matters();
    const double place = found.jump ? middle_of_gap(below, above) : nearest;
    found.before = below.at(place).value;
    found.after = above.at(place).value;
    const auto sigmas_at = [&](std::int64_t x) {
        return disagreement(below, above, static_cast<double>(x)).sigmas;
    };
    found.significance =
        found.jump ? there.sigmas : std::max(sigmas_at(found.last_below), sigmas_at(found.first_above));
    found.slope_before = below.slope().value;
    found.slope_after = above.slope().value;
    return found;
}

std::vector<Switch> find_switches(std::span<const CurvePoint> curve) {
    std::vector<Switch> found;
    find_in(curve, found);
    return found;
}

std::string switch_text(const Switch& found, std::int64_t element) {
    const auto place = place_text(found, element);
    if (found.jump) {
        const bool slower = found.after >= found.before;
        const double ratio = slower ? found.after / found.before : found.before / found.after;
        return fmt::format("switch {}, {} {} above", place, times_text(ratio), slower ? "slower" : "faster");
    }
    const bool steeper = found.slope_after >= found.slope_before;
    const double ratio =
        steeper ? found.slope_after / found.slope_before : found.slope_before / found.slope_after;
    const std::string_view word = steeper ? "steeper" : "flatter";
    // A slope that is nothing, or falls, has no multiple.
    return std::min(found.slope_before, found.slope_after) > 0
               ? fmt::format("bend {}, {} {} above", place, times_text(ratio), word)
               : fmt::format("bend {}, {} above", place, word);
}

}  // namespace fathom::stats
