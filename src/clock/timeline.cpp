#include "clock/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace fathom::clock {
namespace {

double slope_between(const Link& a, const Link& b) {
    const auto time = static_cast<double>((b.at - a.at).count);
    return time > 0 ? static_cast<double>((b.offset - a.offset).count) / time : 0;
}

}  // namespace

Timeline::Timeline(std::vector<Link> links) : links_(std::move(links)) {
    find_breaks();
}

/// The index of the link at the beginning of the phase that holds (or is nearest to) a time.
std::size_t Timeline::phase_of(Nanoseconds own) const {
    const auto next = std::upper_bound(links_.begin(), links_.end(), own,
                                       [](Nanoseconds time, const Link& link) { return time < link.at; });
    const auto index = static_cast<std::size_t>(next - links_.begin());
    return std::min(index == 0 ? 0 : index - 1, links_.size() < 2 ? 0 : links_.size() - 2);
}

Nanoseconds Timeline::global(Nanoseconds own) const {
    const auto phase = phase_of(own);
    const auto& from = links_[phase];
    const double slope = phase + 1 < links_.size() ? slope_between(from, links_[phase + 1]) : 0;
    const auto moved = std::llround(slope * static_cast<double>((own - from.at).count));
    return checked_sum(checked_sum(own, from.offset), {moved});
}

Nanoseconds Timeline::bound(Nanoseconds own) const {
    const auto phase = phase_of(own);
    const auto& from = links_[phase];
    const auto& to = links_[std::min(phase + 1, links_.size() - 1)];
    Nanoseconds bound;
    if (own < from.at) {
        bound = from.bound() + drift_over(from.at - own);
    } else if (own >= to.at) {
        bound = to.bound() + drift_over(own - to.at);
    } else {
        const double share =
            static_cast<double>((own - from.at).count) / static_cast<double>((to.at - from.at).count);
        const auto mixed = [&](Nanoseconds a, Nanoseconds b) {
            return (1 - share) * static_cast<double>(a.count) + share * static_cast<double>(b.count);
        };
        const double up = mixed(from.high - from.offset, to.high - to.offset);
        const double down = mixed(from.offset - from.low, to.offset - to.low);
        bound = {static_cast<std::int64_t>(std::ceil(std::max(up, down)))};
    }
    for (const auto& place : breaks_) {
        if (own >= place.from && own <= place.to) {
            bound = bound + place.uncertainty;
        }
    }
    return bound;
}

void Timeline::find_breaks() {
    std::size_t begin = 0;
    for (std::size_t i = 1; i < links_.size(); ++i) {
        const std::span stretch(links_.begin() + static_cast<std::ptrdiff_t>(begin),
                                links_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        if (steady_drift_possible(stretch)) {
            continue;
        }
        const auto& from = links_[i - 1];
        const auto& to = links_[i];
        const auto fit = fit_drift(stretch.first(stretch.size() - 1));
        const double before = fit ? fit->slope : 0;
        const double within = slope_between(from, to);
        // A step from slope a to b after a share f of the phase leaves (mean - a) f T at its corner, at most
        // (mean - a) T.
        const auto length = static_cast<double>((to.at - from.at).count);
        breaks_.push_back({.from = from.at,
                           .to = to.at,
                           .before_ppm = before * 1e6,
                           .after_ppm = within * 1e6,
                           .uncertainty = {std::llround(std::abs(within - before) * length)}});
        begin = i - 1;
    }
}

}  // namespace fathom::clock
