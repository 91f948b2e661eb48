#include "stats/change_points/switch_scout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

namespace fathom::stats {
namespace {

/// Standard errors, and the share of the time, that make a gap worth a look.
constexpr double suspicious = 2;
constexpr double suspicious_share = 0.1;
/// And those of a jump: neighbours on a real machine may differ by a twentieth for no reason that a closer
/// look would tell.
constexpr double sure_jump = 4;
constexpr double least_jump = 0.1;
/// Into how many parts a gap is divided first, and in the end where its step is.
constexpr std::int64_t quarters = 4;
constexpr std::int64_t finest = 128;
/// Points that stand for a side of a step, as far as a part of the gap from it.
constexpr std::size_t most_beside = 3;
constexpr std::int64_t beside = 16;
/// Points that a law needs to stand for itself.
constexpr std::size_t points_of_a_law = 3;
/// Gaps of one curve that are looked into.
constexpr std::size_t most_gaps = 4;

/// How far a point lies off the law of the other side, be it a line or bent as its points are.
double suspicion(const LocalLaw& law, const CurvePoint& point) {
    if (!law.slope_known()) {
        return 0;
    }
    const auto x = static_cast<double>(point.x);
    const auto line = law.at(x);
    const double bent = line.value - (law.curvature_known() ? law.bias(x) : 0);
    const auto [low, high] = std::minmax(line.value, bent);
    const double off = std::abs(point.median - std::clamp(point.median, low, high));
    return off >= suspicious_share * point.median ? off / std::hypot(line.error, standard_error(point)) : 0;
}

void find_in(std::span<const CurvePoint> part, std::vector<Suspect>& suspects) {
    for (std::size_t gap = 1; part.size() >= points_of_a_law && gap < part.size(); ++gap) {
        const std::vector<CurvePoint> nearest_first(part.rend() - static_cast<std::ptrdiff_t>(gap),
                                                    part.rend());
        const LocalLaw below(nearest_first);
        const LocalLaw above(part.subspan(gap));
        const double most = std::max(suspicion(below, part[gap]), suspicion(above, part[gap - 1]));
        if (most >= suspicious) {
            suspects.push_back({.low = part[gap - 1], .high = part[gap], .significance = most});
        }
    }
}

double slope(const CurvePoint& low, const CurvePoint& high) {
    return (high.median - low.median) / static_cast<double>(high.x - low.x);
}

double excess(const CurvePoint& low, const CurvePoint& high, double usual_slope) {
    return high.median - low.median - usual_slope * static_cast<double>(high.x - low.x);
}

}  // namespace

std::vector<Suspect> find_suspects(std::span<const CurvePoint> curve, std::span<const Switch> known) {
    std::vector<Suspect> suspects;
    std::size_t begin = 0;
    for (std::size_t end = 1; end <= curve.size(); ++end) {
        // A law of one or two points may reach across a jump itself.
        const bool inside = end >= points_of_a_law && end + points_of_a_law <= curve.size();
        const bool parted =
            inside && std::ranges::any_of(known, [&](const Switch& at) {
                return at.jump && at.last_below >= curve[end - 1].x && at.first_above <= curve[end].x;
            });
        if (parted || end == curve.size()) {
            find_in(curve.subspan(begin, end - begin), suspects);
            begin = end;
        }
    }
    std::ranges::stable_sort(suspects, std::greater(), &Suspect::significance);
    return suspects;
}

SwitchScout::SwitchScout(const Suspect& gap, std::optional<CurvePoint> before,
                         std::optional<CurvePoint> after)
    : points_{{gap.low.x, gap.low}, {gap.high.x, gap.high}},
      low_(gap.low.x),
      high_(gap.high.x),
      before_(before),
      after_(after) {}

double SwitchScout::Step::sigmas() const {
    return std::abs(excess) / std::hypot(standard_error(low), standard_error(high));
}

double SwitchScout::Step::share() const {
    return std::abs(excess) / std::min(low.median, high.median);
}

std::int64_t SwitchScout::quarter(std::int64_t i) const {
    return low_ + i * (high_ - low_) / quarters;
}

std::optional<std::int64_t> SwitchScout::next() const {
    if (high_ - low_ < quarters) {
        return std::nullopt;
    }
    for (const std::int64_t i : {2, 1, 3}) {
        if (!points_.contains(quarter(i))) {
            return quarter(i);
        }
    }
    const auto step = steepest();
    if (!step || step->sigmas() < suspicious || step->share() < least_jump) {
        return std::nullopt;
    }
    const auto width = step->high.x - step->low.x;
    return width > std::max<std::int64_t>(1, (high_ - low_) / finest) ? std::optional(step->low.x + width / 2)
                                                                      : std::nullopt;
}

void SwitchScout::add(const CurvePoint& point) {
    points_[point.x] = point;
}

/// The quarter that differs most from the others, and in it the step that makes it differ.
std::optional<SwitchScout::Step> SwitchScout::steepest() const {
    std::array<double, quarters> slopes{};
    for (std::int64_t i = 0; i < quarters; ++i) {
        const auto low = points_.find(quarter(i));
        const auto high = points_.find(quarter(i + 1));
        if (low == points_.end() || high == points_.end()) {
            return std::nullopt;
        }
        slopes.at(static_cast<std::size_t>(i)) = slope(low->second, high->second);
    }
    auto sorted = slopes;
    std::ranges::sort(sorted);
    // The middle of the three that are left without the one that stands out.
    const bool upwards = sorted[3] - sorted[2] > sorted[1] - sorted[0];
    const double usual = upwards ? sorted[1] : sorted[2];
    const auto odd = std::ranges::find(slopes, upwards ? sorted[3] : sorted[0]) - slopes.begin();
    std::optional<Step> found;
    for (auto at = points_.find(quarter(odd)); at->first < quarter(odd + 1); ++at) {
        const auto& high = std::next(at)->second;
        const double beyond = excess(at->second, high, usual);
        if (!found || (upwards ? beyond > found->excess : beyond < found->excess)) {
            found = Step{.low = at->second, .high = high, .usual_slope = usual, .excess = beyond};
        }
    }
    return found;
}

/// A point that is off alone makes a step to it and one back.
bool SwitchScout::stays(const Step& step) const {
    constexpr double most_of_it = 0.75;
    const auto at_low = points_.find(step.low.x);
    const auto at_high = points_.find(step.high.x);
    const auto below = at_low != points_.begin() ? std::optional(std::prev(at_low)->second) : before_;
    const auto above =
        std::next(at_high) != points_.end() ? std::optional(std::next(at_high)->second) : after_;
    const auto keeps = [&](const std::optional<CurvePoint>& low, const std::optional<CurvePoint>& high) {
        return !low || !high || excess(*low, *high, step.usual_slope) / step.excess > most_of_it;
    };
    return keeps(below, step.high) && keeps(step.low, above);
}

/// The level of some points next to a step, at the place of the first.
Estimate SwitchScout::level(std::span<const CurvePoint> nearest_first, double usual_slope) const {
    double sum = 0;
    double weights = 0;
    for (const auto& point : nearest_first.first(std::min(most_beside, nearest_first.size()))) {
        const auto away = point.x - nearest_first.front().x;
        if (std::abs(away) <= (high_ - low_) / beside) {
            const double weight = 1 / std::pow(standard_error(point), 2);
            sum += weight * (point.median - usual_slope * static_cast<double>(away));
            weights += weight;
        }
    }
    return {.value = sum / weights, .error = 1 / std::sqrt(weights)};
}

std::optional<Switch> SwitchScout::jump() const {
    const auto step = steepest();
    if (!step || step->sigmas() < suspicious || next() || !stays(*step)) {
        return std::nullopt;
    }
    std::vector<CurvePoint> below;
    std::vector<CurvePoint> above;
    for (const auto& [x, point] : points_) {
        if (x <= step->low.x) {
            below.insert(below.begin(), point);
        } else {
            above.push_back(point);
        }
    }
    const auto before = level(below, step->usual_slope);
    const auto after = level(above, step->usual_slope);
    const double apart =
        after.value - before.value - step->usual_slope * static_cast<double>(step->high.x - step->low.x);
    const double sigmas = std::abs(apart) / std::hypot(before.error, after.error);
    if (sigmas < sure_jump || std::abs(apart) < least_jump * std::min(before.value, after.value)) {
        return std::nullopt;
    }
    return Switch{.last_below = step->low.x,
                  .first_above = step->high.x,
                  .before = before.value,
                  .after = after.value,
                  .jump = true,
                  .significance = sigmas,
                  .slope_before = step->usual_slope,
                  .slope_after = step->usual_slope};
}

SwitchScouts::SwitchScouts(std::vector<CurvePoint> curve, std::vector<Switch> known)
    : curve_(std::move(curve)), known_(std::move(known)) {
    begin_next();
}

std::optional<std::int64_t> SwitchScouts::next() {
    while (scout_) {
        if (const auto place = scout_->next()) {
            return place;
        }
        end_scout();
    }
    return std::nullopt;
}

void SwitchScouts::add(const CurvePoint& point) {
    if (scout_) {
        scout_->add(point);
        own_points_.push_back(point);
    }
}

void SwitchScouts::give_up() {
    if (scout_) {
        end_scout();
    }
}

void SwitchScouts::end_scout() {
    if (const auto jump = scout_->jump()) {
        jumps_.push_back(*jump);
        known_.push_back(*jump);
        points_.insert(points_.end(), own_points_.begin(), own_points_.end());
    }
    begin_next();
}

/// The most suspicious gap that nobody has looked into. A jump found meanwhile parts the curve, and clears
/// its neighbours of suspicion.
void SwitchScouts::begin_next() {
    scout_.reset();
    own_points_.clear();
    if (seen_.size() == most_gaps) {
        return;
    }
    for (const auto& suspect : find_suspects(curve_, known_)) {
        if (seen_.insert(suspect.low.x).second) {
            const auto low = std::ranges::find(curve_, suspect.low.x, &CurvePoint::x);
            const auto high = std::next(low);
            scout_.emplace(suspect, low != curve_.begin() ? std::optional(*std::prev(low)) : std::nullopt,
                           std::next(high) != curve_.end() ? std::optional(*std::next(high)) : std::nullopt);
            return;
        }
    }
}

}  // namespace fathom::stats
