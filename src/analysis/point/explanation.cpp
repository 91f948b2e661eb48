#include "analysis/point/explanation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include <boost/math/distributions/binomial.hpp>

#include "analysis/samples/coincidence.hpp"
#include "stats/quantile.hpp"

namespace fathom::analysis {
namespace {

/// One kind of event, in the order in which they are taken for the cause.
struct EventKind {
    CauseKind kind;
    bool major;  ///< of page faults
    bool network;
    std::int64_t (*count)(const journal::Counts& counts);
};

constexpr std::array kinds{
    EventKind{CauseKind::tcp_timeout, false, true,
              [](const journal::Counts& counts) { return counts.tcp_timeouts; }},
    EventKind{CauseKind::tcp_retransmit, false, true,
              [](const journal::Counts& counts) { return counts.tcp_retransmits; }},
    EventKind{CauseKind::preempted, false, false,
              [](const journal::Counts& counts) { return counts.preempted; }},
    EventKind{CauseKind::page_fault, true, false,
              [](const journal::Counts& counts) { return counts.major_faults; }},
    EventKind{CauseKind::migration, false, false,
              [](const journal::Counts& counts) { return counts.migrations; }},
    EventKind{CauseKind::page_fault, false, false,
              [](const journal::Counts& counts) { return counts.minor_faults; }},
    EventKind{CauseKind::blocked, false, false, [](const journal::Counts& counts) { return counts.blocked; }},
};

/// The probability of a false attribution, over all that are tried for a point.
constexpr double false_alarms = 0.01;

/// A stretch in which something of one kind was counted, and the repetitions it overlaps.
struct Occasion {
    RepetitionRange reps;
    std::int64_t events = 0;
    std::int64_t waited_ns = 0;  ///< for a processor, if that is the kind and it is known
    Stretch when;
};

/// Where something is counted: on a host, or by one of its ranks.
struct CountedAt {
    std::string host;
    std::optional<int> rank;

    friend auto operator<=>(const CountedAt&, const CountedAt&) = default;
};

/// One kind of event at one place.
struct Suspect {
    const EventKind* kind = nullptr;
    CountedAt where;
    std::vector<Occasion> occasions;
};

class Inquiry {
  public:
    Inquiry(const Repetitions& repetitions, const Evidence& evidence, const Timeouts& timeouts)
        : repetitions_(repetitions),
          evidence_(evidence),
          timeouts_(timeouts),
          in_time_(repetitions),
          wholes_(whole_times(repetitions)) {}

    Explanation result() {
        const double threshold = slow_threshold(repetitions_.times);
        found_.threshold_ns = threshold;
        auto sorted = wholes_;
        std::sort(sorted.begin(), sorted.end());
        typical_ = stats::quantile(sorted, 0.5);
        is_slow_.resize(wholes_.size());
        slow_before_.assign(wholes_.size() + 1, 0);
        for (std::size_t i = 0; i < wholes_.size(); ++i) {
            is_slow_[i] = repetitions_.times[i] > threshold;
            slow_before_[i + 1] = slow_before_[i] + (is_slow_[i] ? 1 : 0);
            (is_slow_[i] ? slow_time_ns_ : usual_time_ns_) += wholes_[i];
        }
        found_.slow = slow_before_.back();
        found_.unexplained = found_.slow;
        explained_.resize(wholes_.size());
        if (repetitions_.when.size() == repetitions_.times.size()) {
            const auto suspects = all_suspects();
            for (const auto& suspect : suspects) {
                consider(suspect, suspects.size());
            }
        }
        std::stable_sort(found_.causes.begin(), found_.causes.end(),
                         [](const auto& a, const auto& b) { return a.lost_ns > b.lost_ns; });
        return std::move(found_);
    }

  private:
    [[nodiscard]] CountedAt where(const EventKind& kind, int rank) const {
        const auto host = evidence_.hosts.find(rank);
        return {.host = host == evidence_.hosts.end() ? "" : host->second,
                .rank = kind.network ? std::nullopt : std::optional(rank)};
    }

    /// By how much a place exceeds chance, which distinguishes the cause from a place that is merely
    /// affected; for timeouts, by how many repetitions coincide.
    [[nodiscard]] double weight(const Suspect& suspect) const {
        const auto coinciding = static_cast<double>(coinciding_with(suspect).size());
        return suspect.kind == &kinds.front() ? coinciding : coinciding / chance(suspect);
    }

    /// By kind in the order of the table, of one kind the likeliest place first.
    [[nodiscard]] std::vector<Suspect> all_suspects() const {
        std::vector<Suspect> suspects;
        for (const auto& kind : kinds) {
            std::map<CountedAt, Suspect> places;
            for (const auto& window : evidence_.windows) {
                const auto events = kind.count(window.counts);
                const auto reps = events > 0 ? in_time_.during(window.when) : RepetitionRange{};
                if (reps.empty()) {
                    continue;
                }
                auto& suspect = places[where(kind, window.rank)];
                suspect.kind = &kind;
                const auto waited =
                    kind.kind == CauseKind::preempted ? window.counts.waited_ns : std::int64_t{0};
                suspect.occasions.push_back(
                    {.reps = reps, .events = events, .waited_ns = waited, .when = window.when});
            }
            const auto begin = static_cast<std::ptrdiff_t>(suspects.size());
            for (auto& [where, suspect] : places) {
                suspect.where = where;
                suspects.push_back(std::move(suspect));
            }
            std::stable_sort(suspects.begin() + begin, suspects.end(),
                             [&](const auto& a, const auto& b) { return weight(a) > weight(b); });
        }
        return suspects;
    }

    /// Slow ones among a range.
    [[nodiscard]] std::int64_t slow_in(const RepetitionRange& reps) const {
        return slow_before_[reps.end] - slow_before_[reps.first];
    }

    /// The chance that a slow repetition coincides with this although it has nothing to do with it: as often
    /// as others do, and more so the longer it takes.
    [[nodiscard]] double chance(const Suspect& suspect) const {
        std::int64_t covered = 0;
        std::size_t seen = 0;
        std::int64_t elsewhere = 0;  // events without a slow repetition
        double time_ns = usual_time_ns_;
        for (const auto& occasion : suspect.occasions) {
            const RepetitionRange fresh{std::max(seen, occasion.reps.first), occasion.reps.end};
            if (!fresh.empty()) {
                covered += static_cast<std::int64_t>(fresh.end - fresh.first) - slow_in(fresh);
                seen = fresh.end;
            }
            if (slow_in(occasion.reps) == 0) {
                elsewhere += occasion.events;
                time_ns += static_cast<double>((occasion.when.end - occasion.when.begin).count);
            }
        }
        const auto usual = static_cast<double>(wholes_.size()) - static_cast<double>(found_.slow);
        constexpr double half = 0.5;  // of an event: what was not seen in this many may still happen
        // Readings of the network are so far apart that they cover everything; what fills them counts
        // instead.
        const double number = suspect.kind->network ? half : std::max(half, static_cast<double>(covered));
        const double by_number = number / std::max(1.0, usual);
        const double rate = time_ns > 0 ? static_cast<double>(elsewhere) / time_ns : 0;
        const double length = slow_time_ns_ / std::max(1.0, static_cast<double>(found_.slow));
        return std::clamp(1 - (1 - std::min(1.0, by_number)) * std::exp(-rate * length), 0.0, 1.0);
    }

    /// Whether a repetition is long enough for what it coincides with: it fills a good part of the time
    /// between two readings of the network, and timeouts are where they were found. Nor is it too long: a
    /// rank that waited for its processor did so for a good part of what the repetition takes too long.
    [[nodiscard]] bool fits(const Suspect& suspect, const Occasion& occasion, std::size_t rep) const {
        constexpr double most_of_it = 0.5;
        constexpr double good_part = 0.1;
        constexpr double quarter = 0.25;
        if (occasion.waited_ns > 0 &&
            static_cast<double>(occasion.waited_ns) < quarter * (wholes_[rep] - typical_)) {
            return false;
        }
        const auto length = static_cast<double>((occasion.when.end - occasion.when.begin).count);
        if (suspect.kind->network && wholes_[rep] < good_part * length) {
            return false;
        }
        if (suspect.kind != &kinds.front()) {
            return true;
        }
        if (!timeouts_.delayed.empty()) {
            return timeouts_.delayed[rep];
        }
        return timeouts_.rto_ns <= 0 || wholes_[rep] > most_of_it * timeouts_.rto_ns;
    }

    /// The slow repetitions without a cause that an occasion may explain: as many as it has events, those
    /// that fill most of it.
    [[nodiscard]] std::vector<std::size_t> explained_by(const Suspect& suspect,
                                                        const Occasion& occasion) const {
        std::vector<std::size_t> reps;
        for (auto i = occasion.reps.first; slow_in(occasion.reps) > 0 && i < occasion.reps.end; ++i) {
            if (is_slow_[i] && !explained_[i] && fits(suspect, occasion, i)) {
                reps.push_back(i);
            }
        }
        // A rank may wait for the next repetition while this one is still under way elsewhere.
        const auto filled = [&](std::size_t rep) {
            return std::min(static_cast<double>(in_time_.overlap(rep, occasion.when).count), wholes_[rep]);
        };
        std::stable_sort(reps.begin(), reps.end(), [&](auto a, auto b) { return filled(a) > filled(b); });
        reps.resize(std::min(reps.size(), static_cast<std::size_t>(occasion.events)));
        return reps;
    }

    /// The repetitions that it may explain, with the events in each.
    [[nodiscard]] std::map<std::size_t, std::int64_t> coinciding_with(const Suspect& suspect) const {
        std::map<std::size_t, std::int64_t> reps;
        for (const auto& occasion : suspect.occasions) {
            for (const auto rep : explained_by(suspect, occasion)) {
                reps[rep] += occasion.events;
            }
        }
        return reps;
    }

    void consider(const Suspect& suspect, std::size_t suspects) {
        const auto reps = coinciding_with(suspect);
        if (reps.empty()) {
            return;
        }
        const auto open = static_cast<double>(found_.unexplained);
        const bool by_length = suspect.kind == &kinds.front();
        const double by_chance = by_length ? 0 : chance(suspect);
        const auto coinciding = static_cast<double>(reps.size());
        // Timeouts are also identified by their length, which chance does not produce.
        if (!by_length) {
            const boost::math::binomial_distribution<double> null(open, by_chance);
            const double odds = by_chance >= 1 ? 1 : cdf(complement(null, coinciding - 1));
            if (odds >= false_alarms / static_cast<double>(suspects)) {
                return;
            }
        }
        Cause cause{.kind = suspect.kind->kind,
                    .major = suspect.kind->major,
                    .host = suspect.where.host,
                    .rank = suspect.where.rank,
                    .reps = static_cast<std::int64_t>(reps.size()),
                    .events = 0,
                    .lost_ns = 0,
                    .expected = open * by_chance};
        for (const auto& [rep, events] : reps) {
            explained_[rep] = true;
            cause.events += events;
            cause.lost_ns += wholes_[rep] - typical_;
        }
        found_.unexplained -= cause.reps;
        if (!by_length && cause.lost_ns < least_share_to_name * (slow_time_ns_ + usual_time_ns_)) {
            found_.small += cause.reps;
            return;
        }
        found_.causes.push_back(std::move(cause));
    }

    const Repetitions& repetitions_;
    const Evidence& evidence_;
    const Timeouts& timeouts_;
    RepetitionsInTime in_time_;
    std::vector<double> wholes_;
    std::vector<bool> is_slow_;
    std::vector<bool> explained_;
    std::vector<std::int64_t> slow_before_;  // each repetition
    double slow_time_ns_ = 0;
    double usual_time_ns_ = 0;
    double typical_ = 0;  // median of the wholes
    Explanation found_;
};

}  // namespace

Explanation explanation_of(const Repetitions& repetitions, const Evidence& evidence,
                           const Timeouts& timeouts) {
    Explanation found;
    if (!repetitions.times.empty()) {
        found = Inquiry(repetitions, evidence, timeouts).result();
    }
    found.counted = evidence.counted;
    if (evidence.readings > 0) {
        found.cost_per_reading_ns =
            static_cast<double>(evidence.spent.count) / static_cast<double>(evidence.readings);
    }
    if (evidence.measured.count > 0) {
        found.cost_share =
            static_cast<double>(evidence.spent.count) / static_cast<double>(evidence.measured.count);
    }
    return found;
}

}  // namespace fathom::analysis
