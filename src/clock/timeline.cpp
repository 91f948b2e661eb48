#include "clock/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace fathom::clock {
namespace {

double between(Nanoseconds from, Nanoseconds to) {
    return static_cast<double>(checked_difference(to, from).count);
}

double slope_between(const Link& a, const Link& b) {
    const double time = between(a.at, b.at);
    return time > 0 ? between(a.offset, b.offset) / time : 0;
}

double largest_difference(const SlopeRange& a, const SlopeRange& b) {
    return std::max(std::abs(b.high - a.low), std::abs(a.high - b.low));
}

}  // namespace

Timeline::Timeline(std::vector<Link> links) : links_(std::move(links)), open_(links_.size()) {
    find_breaks();
}

/// The index of the link at the beginning of the phase that holds (or is nearest to) a time.
std::size_t Timeline::phase_of(Nanoseconds own) const {
    const auto next = std::upper_bound(links_.begin(), links_.end(), own,
                                       [](Nanoseconds time, const Link& link) { return time < link.at; });
    const auto index = static_cast<std::size_t>(next - links_.begin());
    return std::min(index == 0 ? 0 : index - 1, links_.size() < 2 ? 0 : links_.size() - 2);
}

SlopeRange Timeline::slope_beyond(std::size_t phase) const {
    // A phase in which the drift changed has two, and which is which is not known.
    const bool even = phase + 1 < links_.size() && open_[phase].count == 0;
    return even ? slope_range(links_[phase], links_[phase + 1]) : SlopeRange::any();
}

Nanoseconds Timeline::global(Nanoseconds own) const {
    const auto phase = phase_of(own);
    const auto& from = links_[phase];
    const auto& to = links_[std::min(phase + 1, links_.size() - 1)];
    const bool before = own < from.at;
    const bool after = own > to.at;
    const auto& anchor = after ? to : from;
    const double slope = before || after ? slope_beyond(phase).middle() : slope_between(from, to);
    const auto moved = std::llround(slope * between(anchor.at, own));
    return checked_sum(checked_sum(own, anchor.offset), {moved});
}

Nanoseconds Timeline::bound(Nanoseconds own) const {
    const auto phase = phase_of(own);
    const auto& from = links_[phase];
    const auto& to = links_[std::min(phase + 1, links_.size() - 1)];
    if (own < from.at || own >= to.at) {
        const auto& anchor = own < from.at ? from : to;
        const double unknown = slope_beyond(phase).half_width();
        const auto grown = std::ceil(unknown * std::abs(between(anchor.at, own)));
        return checked_sum(anchor.bound(), {static_cast<std::int64_t>(grown)});
    }
    const double share = between(from.at, own) / between(from.at, to.at);
    const auto interpolated = [&](double a, double b) { return (1 - share) * a + share * b; };
    const double up = interpolated(between(from.offset, from.high), between(to.offset, to.high));
    const double down = interpolated(between(from.low, from.offset), between(to.low, to.offset));
    return checked_sum({static_cast<std::int64_t>(std::ceil(std::max(up, down)))}, open_[phase]);
}

Nanoseconds Timeline::largest_bound(Nanoseconds from, Nanoseconds to) const {
    // Within a phase the bound is largest at one of its ends.
    auto largest = std::max(bound(from), bound(to));
    for (auto phase = phase_of(from); phase < links_.size() && links_[phase].at <= to; ++phase) {
        const auto& link = links_[phase];
        largest = std::max(largest, checked_sum(link.bound(), open_[phase]));
    }
    return largest;
}

void Timeline::find_breaks() {
    // Stretches of thousands of links would take long and show no more than these.
    constexpr std::size_t longest_stretch = 64;
    std::size_t begin = 0;
    for (std::size_t end = 2; end < links_.size(); ++end) {
        begin = std::max(begin, end - std::min(end, longest_stretch));
        const std::span stretch(links_.begin() + static_cast<std::ptrdiff_t>(begin),
                                links_.begin() + static_cast<std::ptrdiff_t>(end) + 1);
        if (!steady_drift_possible(stretch)) {
            note_break(begin, end);
            begin = end;
        }
    }
}

/// No line explains the links from `begin` to `end`, but one explains all but the last. The corner is most
/// likely in the last phase or the one before; small ones may have hidden earlier.
void Timeline::note_break(std::size_t begin, std::size_t end) {
    constexpr std::size_t far_enough = 8;
    // What is known of the drift from the links up to one, and from one on, each as far as a line goes.
    const auto before = [&](std::size_t last) {
        auto range = SlopeRange::any();
        for (auto first = last; first-- > begin;) {
            range = range.within(slope_range(links_[first], links_[last]));
        }
        return range;
    };
    const auto after = [&](std::size_t first) {
        auto range = SlopeRange::any();
        const auto stop = std::min(links_.size(), first + far_enough);
        for (auto last = first + 1; last < stop; ++last) {
            range = range.within(slope_range(links_[first], links_[last]));
        }
        return range;
    };
    Nanoseconds widest;
    for (auto phase = begin; phase < end; ++phase) {
        const double length = between(links_[phase].at, links_[phase + 1].at);
        const auto within = slope_range(links_[phase], links_[phase + 1]);
        const auto left = before(phase);
        const auto right = after(phase + 1);
        // From slope a to b after a share f of the phase: the corner is f (1 - f) (b - a) T off the chord.
        // Where a or b is not known, their mean is: the corner is at most (b - mean) T or (mean - a) T off.
        constexpr double largest_share = 0.25;
        const double both = largest_share * largest_difference(left, right);
        const double one =
            phase == begin ? largest_difference(within, right) : largest_difference(left, within);
        const auto off = std::ceil(std::min(both, phase == begin || phase + 1 == end ? one : both) * length);
        open_[phase] = std::max(open_[phase], Nanoseconds{static_cast<std::int64_t>(off)});
        widest = std::max(widest, open_[phase]);
    }
    const auto likely = end >= begin + 2 ? end - 2 : begin;
    const auto fit = fit_drift(std::span(links_).subspan(begin, std::max<std::size_t>(2, end - 1 - begin)));
    const auto& next = end + 1 < links_.size() ? links_[end + 1] : links_[end];
    const auto& turn = end + 1 < links_.size() ? links_[end] : links_[end - 1];
    breaks_.push_back({.from = links_[likely].at,
                       .to = links_[end].at,
                       .before_ppm = fit ? fit->slope_ppm() : 0,
                       .after_ppm = slope_between(turn, next) * 1e6,
                       .uncertainty = widest});
}

}  // namespace fathom::clock
