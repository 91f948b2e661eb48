#include <algorithm>
#include <cmath>
#include <iterator>

#include "stats/change_points/switches.hpp"

namespace fathom::stats {
namespace {

/// Standard errors a point must lie off the law it does not follow.
constexpr double off_the_law = 4;
/// The law it follows must be nearer by this: a point far from both follows neither.
constexpr double nearer = 0.5;
/// Difference that means nothing even without noise.
constexpr double nothing = 1e-9;
/// How often one size is asked for before we give up there.
constexpr int most_tries = 3;
/// Once sizes were given up, their edges are looked for until they are known to this share of what is left.
constexpr std::int64_t edge_share = 8;

std::int64_t halfway(std::int64_t low, std::int64_t high) {
    return low + (high - low) / 2;
}

/// The points that no other switch parts from the candidate.
std::span<const CurvePoint> own_part(std::span<const CurvePoint> curve, const Switch& candidate) {
    std::int64_t first = curve.front().x;
    std::int64_t last = curve.back().x;
    for (const auto& other : find_switches(curve)) {
        if (other.first_above <= candidate.last_below) {
            first = other.first_above;
        } else if (other.last_below >= candidate.first_above) {
            last = std::min(last, other.last_below);
        }
    }
    const auto begin = std::ranges::find_if(curve, [&](const CurvePoint& point) { return point.x >= first; });
    const auto end = std::ranges::find_if(curve, [&](const CurvePoint& point) { return point.x > last; });
    return {begin, end};
}

std::vector<CurvePoint> up_to(std::span<const CurvePoint> part, std::int64_t x) {
    std::vector<CurvePoint> points;
    std::copy_if(part.rbegin(), part.rend(), std::back_inserter(points),
                 [&](const CurvePoint& point) { return point.x <= x; });
    return points;
}

std::vector<CurvePoint> from(std::span<const CurvePoint> part, std::int64_t x) {
    std::vector<CurvePoint> points;
    std::copy_if(part.begin(), part.end(), std::back_inserter(points),
                 [&](const CurvePoint& point) { return point.x >= x; });
    return points;
}

}  // namespace

SwitchSearch::SwitchSearch(std::span<const CurvePoint> curve, const Switch& candidate)
    : below_(up_to(own_part(curve, candidate), candidate.last_below)),
      above_(from(own_part(curve, candidate), candidate.first_above)),
      law_below_(below_),
      law_above_(above_) {
    fit();
    for (const auto& point : curve) {
        add(point);
        tries_ = 0;
    }
}

std::optional<std::int64_t> SwitchSearch::next() const {
    const auto low = below_.front().x;
    const auto high = above_.front().x;
    if (exact()) {
        return std::nullopt;
    }
    if (!unclear_) {
        return halfway(low, high);
    }
    const auto left = unclear_->low - low;
    const auto right = high - unclear_->high;
    if (std::max(left, right) <= std::max<std::int64_t>(1, (high - low) / edge_share)) {
        return std::nullopt;
    }
    return left >= right ? halfway(low, unclear_->low) : halfway(unclear_->high, high);
}

void SwitchSearch::add(const CurvePoint& point) {
    if (point.x <= below_.front().x || point.x >= above_.front().x) {
        return;
    }
    const auto side = side_of(point);
    if (side == Side::unclear) {
        if (++tries_ == most_tries) {
            give_up_at(point.x);
        }
        return;
    }
    auto& law = side == Side::below ? below_ : above_;
    law.insert(law.begin(), point);
    tries_ = 0;
    // Sizes beyond the point lie on its side too.
    if (unclear_ && (side == Side::below ? point.x >= unclear_->low : point.x <= unclear_->high)) {
        unclear_.reset();
    }
    fit();
}

Switch SwitchSearch::found() const {
    return between(law_below_, law_above_);
}

bool SwitchSearch::exact() const {
    return above_.front().x == below_.front().x + 1;
}

SwitchSearch::Side SwitchSearch::side_of(const CurvePoint& point) const {
    const auto x = static_cast<double>(point.x);
    const double off_below = std::abs(point.median - law_below_.at(x).value);
    const double off_above = std::abs(point.median - law_above_.at(x).value);
    if (std::max(off_below, off_above) <= nothing * std::abs(point.median)) {
        return Side::below;  // where two laws meet both hold
    }
    const bool not_below = law_below_.sigmas_off(point) > off_the_law;
    const bool not_above = law_above_.sigmas_off(point) > off_the_law;
    // A law of one point has a borrowed slope: what does not follow the other law follows this one.
    if (not_below && (off_above <= nearer * off_below || !law_above_.slope_known())) {
        return Side::above;
    }
    if (not_above && (off_below <= nearer * off_above || !law_below_.slope_known())) {
        return Side::below;
    }
    return Side::unclear;
}

void SwitchSearch::give_up_at(std::int64_t x) {
    unclear_ = unclear_ ? Range{std::min(unclear_->low, x), std::max(unclear_->high, x)} : Range{x, x};
    tries_ = 0;
}

void SwitchSearch::fit() {
    law_below_ = LocalLaw(below_);
    law_above_ = LocalLaw(above_, &law_below_);
    law_below_ = LocalLaw(below_, &law_above_);
}

}  // namespace fathom::stats
