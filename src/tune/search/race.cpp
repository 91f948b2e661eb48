#include "tune/search/race.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "tune/search/proposal.hpp"

namespace fathom::tune {
namespace {

/// A way is not measured where it would have to be this much faster than its times at other sizes say. Those
/// are connected by lines between sizes, where a change of protocol may lie: a line is off by less within a
/// factor of 8, or of 2 beyond what was measured, than within more.
struct Margins {
    double near;
    double far;
    double beyond;
};
constexpr Margins usual_margins{.near = 0.15, .far = 0.25, .beyond = 0.35};
/// Scouts at more sizes, and times without noise.
constexpr Margins simulated_margins{.near = 0.1, .far = 0.2, .beyond = 0.3};
constexpr double near_factor = 8;
constexpr double next_factor = 2;
/// Simulations scout every third size, up to the third below the largest.
constexpr std::size_t scout_step = 3;
/// Who is best at a size, or by no more than this slower, is measured at the next ones.
constexpr double as_good = 1.02;
/// What may be best by a little is measured at once, so that rounds remain few.
constexpr double at_once = 1.15;
/// Exact times that differ by less are of the same messages: names of one algorithm, or a way that only
/// chooses among others. Simulated times are rounded to nanoseconds, those of small messages are
/// microseconds.
constexpr double same_messages = 1e-3;
/// Ways that take part in the decision besides the first and the fastest.
constexpr std::size_t most_decided = 3;

using Curve = std::map<std::int64_t, RaceTime>;

class Race {
  public:
    Race(const RaceSettings& settings, const MeasureRace& measure)
        : settings_(settings),
          measure_(measure),
          margins_(settings.simulated ? simulated_margins : usual_margins),
          curves_(settings.ways) {}

    RaceResult result() {
        finished_ = run();
        RaceResult found{.sizes = sizes(),
                         .best = {},
                         .times = {},
                         .broken = {broken_.begin(), broken_.end()},
                         .finished = finished_,
                         .rounds = rounds_};
        for (const auto size : sizes()) {
            if (auto best = best_at(size)) {
                found.best.push_back(*best);
            }
        }
        for (const auto& curve : curves_) {
            for (const auto& [size, time] : curve) {
                found.times.push_back(time);
            }
        }
        return found;
    }

  private:
    bool run() { return scout() && race_on() && decide(settings_.sizes) && locate(); }

    bool scout() {
        std::vector<RacePoint> points;
        for (const auto size : scouted()) {
            for (std::size_t way = 0; way < settings_.ways; ++way) {
                points.push_back({way, size});
            }
        }
        return measured(RaceStage::scout, std::move(points));
    }

    /// The smallest size, and one a quarter of them below the largest: large messages cost most and are
    /// foreseen best, but not from much smaller ones. In simulation, which takes the longer the larger
    /// messages are, smaller ones in between as well: a line over many sizes does not see where a protocol
    /// changes.
    [[nodiscard]] std::set<Bytes> scouted() const {
        const auto last = settings_.sizes.size() - 1;
        std::set<Bytes> found{settings_.sizes.front()};
        if (!settings_.simulated) {
            found.insert(settings_.sizes[last - (last + 2) / 4]);
            return found;
        }
        const auto largest = last - std::min(last, scout_step);
        for (std::size_t i = 0; i <= largest; i += scout_step) {
            found.insert(settings_.sizes[i]);
        }
        found.insert(settings_.sizes[largest]);
        return found;
    }

    /// Until no way that was not measured at a size can be best there.
    bool race_on() {
        while (true) {
            std::vector<RacePoint> points;
            for (const auto size : settings_.sizes) {
                const auto before = points.size();
                add_hopeful(size, points);
                // What is compared is measured in one job.
                if (points.size() > before && !exact_at(size) && points[before].way != 0) {
                    add_known(size, points);
                }
            }
            if (points.empty()) {
                return true;
            }
            if (!measured(RaceStage::race, std::move(points))) {
                return false;
            }
        }
    }

    /// The first way and the best so far: newcomers are compared with them.
    void add_known(Bytes size, std::vector<RacePoint>& points) const {
        points.push_back({0, size});
        for (const auto way : leaders(size)) {
            points.push_back({way, size});
        }
    }

    /// What is known of the best of some ways at a size.
    struct Mark {
        double known = INFINITY;     ///< the best that was measured
        double expected = INFINITY;  ///< of what was not
    };
    [[nodiscard]] Mark mark_at(Bytes size, bool of_usable) const {
        Mark mark;
        for (std::size_t way = 0; way < settings_.ways; ++way) {
            if (of_usable && !usable(way)) {
                continue;
            }
            if (const auto* const time = at(way, size)) {
                mark.known = std::min(mark.known, time->ci95_ns.high);
            } else if (open(way, size) && !has_twin(way, size)) {
                mark.expected = std::min(mark.expected, expectation(way, size).time_ns);
            }
        }
        return mark;
    }

    void add_hopeful(Bytes size, std::vector<RacePoint>& points) const {
        const auto of_all = mark_at(size, false);
        const auto of_usable = mark_at(size, true);
        for (std::size_t way = 0; way < settings_.ways; ++way) {
            if (!open(way, size) || has_twin(way, size)) {
                continue;
            }
            const auto foreseen = expectation(way, size);
            // Before anything is known of a size, those that are expected to be nearly best.
            const auto reaches = [&](const Mark& mark) {
                return std::isinf(mark.known) ? foreseen.time_ns <= at_once * mark.expected
                                              : foreseen.time_ns * (1 - foreseen.margin) < mark.known;
            };
            const bool first = way == 0;  // what the others are compared with
            if (first || leads_beside(way, size) || reaches(of_all) || (usable(way) && reaches(of_usable))) {
                points.push_back({way, size});
            }
        }
    }

    [[nodiscard]] bool usable(std::size_t way) const {
        return way == 0 || !settings_.usable || settings_.usable(way);
    }

    /// Whether a way is as good as the best at a neighbouring size, whatever its times further away say. Only
    /// of times that are exact: others would spread by chance.
    [[nodiscard]] bool leads_beside(std::size_t way, Bytes size) const {
        const auto here = std::ranges::lower_bound(settings_.sizes, size);
        const auto leads = [&](Bytes beside) {
            const auto* const time = at(way, beside);
            return time != nullptr && time->exact && time->time_ns <= as_good * mark_at(beside, false).known;
        };
        return (here != settings_.sizes.begin() && leads(*(here - 1))) ||
               (here + 1 < settings_.sizes.end() && leads(*(here + 1)));
    }

    /// Whether a way took exactly as long as another, which was or can be measured at the size, where it was
    /// measured next to it: one of them is enough. Not for the first, which is measured everywhere.
    [[nodiscard]] bool has_twin(std::size_t way, Bytes size) const {
        const auto& curve = curves_[way];
        const auto above = curve.lower_bound(size.count);
        const auto like = [&](std::size_t other, const RaceTime& time) {
            const auto* const beside = at(other, time.point.size);
            return beside != nullptr && time.exact && beside->exact &&
                   std::abs(beside->time_ns - time.time_ns) <= same_messages * time.time_ns;
        };
        for (std::size_t other = 0; way != 0 && other < settings_.ways; ++other) {
            const bool stands_for_it = other != way && alive(other) &&
                                       (at(other, size) != nullptr || (other < way && open(other, size)));
            if (stands_for_it && (above == curve.end() || like(other, above->second)) &&
                (above == curve.begin() || like(other, std::prev(above)->second))) {
                return true;
            }
        }
        return false;
    }

    struct Expectation {
        double time_ns = 0;
        double margin = 0;
    };

    /// By the times of a way at other sizes.
    [[nodiscard]] Expectation expectation(std::size_t way, Bytes size) const {
        const auto& curve = curves_[way];
        const auto above = curve.lower_bound(size.count);
        if (above == curve.begin()) {
            return {.time_ns = above->second.time_ns, .margin = margins_.beyond};
        }
        const auto below = std::prev(above);
        if (above == curve.end()) {
            const auto last = static_cast<double>(below->first);
            return {.time_ns = extended(curve, size),
                    .margin = static_cast<double>(size.count) <= next_factor * last ? margins_.near
                                                                                    : margins_.beyond};
        }
        // Most costs are lines: a time for each call and one for each byte.
        const auto low = static_cast<double>(below->first);
        const auto high = static_cast<double>(above->first);
        const double part = (static_cast<double>(size.count) - low) / (high - low);
        const bool near = high <= near_factor * std::max(low, 1.0);
        return {.time_ns = (1 - part) * below->second.time_ns + part * above->second.time_ns,
                .margin = near ? margins_.near : margins_.far};
    }

    /// Beyond the largest size the last line goes on: a byte more costs what it did.
    static double extended(const Curve& curve, Bytes size) {
        const auto last = std::prev(curve.end());
        const auto distance = static_cast<double>(size.count - last->first);
        if (last == curve.begin()) {
            return last->second.time_ns;
        }
        const auto before = std::prev(last);
        const double slope = (last->second.time_ns - before->second.time_ns) /
                             static_cast<double>(last->first - before->first);
        return last->second.time_ns + std::max(0.0, slope) * distance;
    }

    /// The first way and those that are nearly best, again with more effort, unless times are exact. Those
    /// that are best at a neighbouring size too: they may be proposed for both.
    bool decide(const std::vector<Bytes>& decided) {
        std::set<RacePoint> points;
        const auto all = sizes();
        for (const auto size : decided) {
            if (exact_at(size)) {
                continue;
            }
            for (const auto* time : contenders(size)) {
                points.insert(time->point);
            }
            const auto here = std::ranges::find(all, size);
            for (const auto neighbour : {here == all.begin() ? here : here - 1, here, here + 1}) {
                for (const auto way :
                     neighbour == all.end() ? std::set<std::size_t>{} : leaders(*neighbour)) {
                    if (at(way, size) != nullptr) {
                        points.insert({way, size});
                    }
                }
            }
        }
        return points.empty() || measured(RaceStage::decide, {points.begin(), points.end()});
    }

    /// The fastest of all other ways, and of those that can be proposed.
    [[nodiscard]] std::set<std::size_t> leaders(Bytes size) const {
        const RaceTime* fastest = nullptr;
        const RaceTime* proposable = nullptr;
        for (std::size_t way = 1; way < settings_.ways; ++way) {
            const auto* const time = at(way, size);
            if (time == nullptr || !alive(way)) {
                continue;
            }
            if (fastest == nullptr || time->time_ns < fastest->time_ns) {
                fastest = time;
            }
            if (usable(way) && (proposable == nullptr || time->time_ns < proposable->time_ns)) {
                proposable = time;
            }
        }
        std::set<std::size_t> found;
        for (const auto* const time : {fastest, proposable}) {
            if (time != nullptr) {
                found.insert(time->point.way);
            }
        }
        return found;
    }

    /// Whether nothing is gained by measuring again.
    [[nodiscard]] bool exact_at(Bytes size) const {
        const auto* const first = at(0, size);
        return first != nullptr && first->exact;
    }

    /// The first, the fastest, and others that are not certainly slower than it, the fastest of these first.
    [[nodiscard]] std::vector<const RaceTime*> contenders(Bytes size) const {
        std::vector<const RaceTime*> others;
        for (std::size_t way = 1; way < settings_.ways; ++way) {
            if (const auto* const time = at(way, size); time != nullptr && alive(way)) {
                others.push_back(time);
            }
        }
        std::ranges::sort(others, {}, [](const RaceTime* time) { return time->time_ns; });
        if (!others.empty()) {
            const double high = others.front()->ci95_ns.high;
            std::erase_if(others, [&](const RaceTime* time) { return time->ci95_ns.low > high; });
            others.resize(std::min(others.size(), most_decided));
        }
        if (const auto* const first = at(0, size)) {
            others.insert(others.begin(), first);
        }
        return others;
    }

    /// Halves the ranges at whose ends different ways are best, on a logarithmic scale.
    bool locate() {
        while (true) {
            std::vector<RacePoint> points;
            std::vector<Bytes> added;
            const auto all = sizes();
            for (std::size_t i = 0; i + 1 < all.size(); ++i) {
                const auto low = winner(all[i]);
                const auto high = winner(all[i + 1]);
                const auto middle = between(all[i], all[i + 1]);
                if (!low || !high || *low == *high || !middle || absent_.contains({0, *middle}) ||
                    !matters(all[i], all[i + 1], *low, *high)) {
                    continue;
                }
                std::set<std::size_t> ways{0, *low, *high};
                if (settings_.usable) {
                    ways.merge(leaders(all[i]));
                    ways.merge(leaders(all[i + 1]));
                }
                for (const auto way : ways) {
                    points.push_back({way, *middle});
                }
                added.push_back(*middle);
            }
            if (points.empty()) {
                return true;
            }
            if (!measured(RaceStage::locate, std::move(points))) {
                return false;
            }
            // Sizes on both sides of one without a time stay neighbours.
            std::ranges::copy_if(added, std::inserter(added_, added_.end()),
                                 [&](Bytes size) { return at(0, size) != nullptr; });
        }
    }

    /// Whether it makes a difference where one winner takes over from another: nothing is proposed for less.
    [[nodiscard]] bool matters(Bytes low, Bytes high, std::size_t low_way, std::size_t high_way) const {
        const auto loss = [&](Bytes size, std::size_t own, std::size_t other) {
            const auto* const time = at(other, size);
            return time == nullptr ? INFINITY : time->time_ns / at(own, size)->time_ns;
        };
        return std::max(loss(low, low_way, high_way), loss(high, high_way, low_way)) >= least_gain;
    }

    [[nodiscard]] std::optional<Bytes> between(Bytes low, Bytes high) const {
        const auto from = static_cast<double>(std::max<std::int64_t>(low.count, 1));
        const auto to = static_cast<double>(high.count);
        if (to <= settings_.resolution * from) {
            return std::nullopt;
        }
        const auto granule = static_cast<double>(settings_.granule);
        const Bytes middle{static_cast<std::int64_t>(std::round(std::sqrt(from * to) / granule) * granule)};
        return low < middle && middle < high ? std::optional(middle) : std::nullopt;
    }

    [[nodiscard]] std::optional<std::size_t> winner(Bytes size) const {
        const auto best = best_at(size);
        if (!best) {
            return std::nullopt;
        }
        return best->best && best->best->time_ns < best->first.time_ns ? best->best->point.way : 0;
    }

    [[nodiscard]] std::optional<BestWay> best_at(Bytes size) const {
        const auto* const first = at(0, size);
        if (first == nullptr) {
            return std::nullopt;
        }
        BestWay found{.size = size, .first = *first, .best = {}};
        for (std::size_t way = 1; way < settings_.ways; ++way) {
            const auto* const time = at(way, size);
            if (time != nullptr && alive(way) && comparable(*first, *time) &&
                (!found.best || time->time_ns < found.best->time_ns)) {
                found.best = *time;
            }
        }
        return found;
    }

    [[nodiscard]] std::vector<Bytes> sizes() const {
        std::set<Bytes> all(settings_.sizes.begin(), settings_.sizes.end());
        all.insert(added_.begin(), added_.end());
        return {all.begin(), all.end()};
    }

    [[nodiscard]] bool alive(std::size_t way) const {
        return !broken_.contains(way) && !curves_[way].empty();
    }
    /// Whether it could still be measured there.
    [[nodiscard]] bool open(std::size_t way, Bytes size) const {
        return alive(way) && at(way, size) == nullptr && !absent_.contains({way, size});
    }
    [[nodiscard]] const RaceTime* at(std::size_t way, Bytes size) const {
        const auto found = curves_[way].find(size.count);
        return found == curves_[way].end() ? nullptr : &found->second;
    }

    /// Measures a round and keeps what it found. What was to be measured and was not is not tried again.
    bool measured(RaceStage stage, std::vector<RacePoint> points) {
        std::ranges::sort(points);
        const auto outcome = measure_({.number = ++rounds_, .stage = stage, .points = points});
        if (!outcome) {
            --rounds_;
            return false;
        }
        broken_.insert(outcome->broken.begin(), outcome->broken.end());
        absent_.insert(points.begin(), points.end());
        for (const auto& time : outcome->times) {
            auto& kept = curves_[time.point.way][time.point.size.count];
            kept = time;
            kept.round = rounds_;
            absent_.erase(time.point);
        }
        return !broken_.contains(0);
    }

    const RaceSettings& settings_;
    const MeasureRace& measure_;
    const Margins& margins_;
    std::vector<Curve> curves_;  // of each way, by size
    std::set<std::size_t> broken_;
    std::set<RacePoint> absent_;  // that a round was to measure and did not
    std::set<Bytes> added_;
    int rounds_ = 0;
    bool finished_ = true;
};

}  // namespace

bool comparable(const RaceTime& a, const RaceTime& b) {
    return a.round == b.round || (a.exact && b.exact);
}

stats::Interval BestWay::gain_interval() const {
    return best ? stats::Interval{first.ci95_ns.low / best->ci95_ns.high,
                                  first.ci95_ns.high / best->ci95_ns.low}
                : stats::Interval{1, 1};
}

RaceResult race(const RaceSettings& settings, const MeasureRace& measure) {
    return settings.sizes.empty() ? RaceResult{} : Race(settings, measure).result();
}

}  // namespace fathom::tune
