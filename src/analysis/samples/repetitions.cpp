#include "analysis/samples/repetitions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "analysis/samples/pair_schedule.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "plan/operations.hpp"
#include "plan/pairing.hpp"
#include "stats/quantile.hpp"

namespace fathom::analysis {

using plan::OverRanks;

namespace {

/// Which samples of a point count, and for what.
class Rules {
  public:
    Rules(const store::Store& store, const store::PointRow& point)
        : point_(point.id), kind_(plan::find_operation(point.key.operation).kind), procs_(point.key.procs) {
        if (kind_ == plan::Kind::matrix) {
            schedule_ = schedule_of(store, point);
        }
    }

    /// The ranks of each group that take part.
    [[nodiscard]] int ranks_in_group() const {
        const bool two = kind_ == plan::Kind::round_trip || kind_ == plan::Kind::pair;
        return kind_ == plan::Kind::single ? 1 : two ? 2 : procs_;
    }

    /// Throws BadInput if samples of so many ranks are too many: a matrix is of one group.
    void check_ranks(int seen) const {
        if (kind_ == plan::Kind::matrix && seen > procs_) {
            throw BadInput(
                fmt::format("table sample_block, row point {}: there are samples of more ranks than "
                            "the point has, {}",
                            point_, plan::processes_text(procs_)));
        }
    }

    /// Whether a repetition counts at all: of a duplex only those in which both ways were used at once.
    [[nodiscard]] bool counts(std::size_t rep) const { return kind_ != plan::Kind::duplex || rep % 2 == 1; }
    /// Whether a rank's time of it does: of a matrix only that of the first of each pair.
    [[nodiscard]] bool counts(int rank, std::size_t rep) const {
        return !schedule_ ||
               schedule_->partner(static_cast<std::int64_t>(rep) % schedule_->rounds(), rank) > rank;
    }

  private:
    std::int64_t point_;
    plan::Kind kind_;
    int procs_;
    std::optional<plan::PairSchedule> schedule_;  ///< of a matrix
};

/// What is known of one repetition while its ranks are visited one after the other.
struct GatheredRepetition {
    double time = 0;            ///< largest, smallest or sum so far
    std::vector<double> times;  ///< of all ranks, where their median counts
    int ranks = 0;
    bool valid = true;
    std::int64_t first_start = INT64_MAX;  ///< on the global clock
    std::int64_t last_start = INT64_MIN;
    std::int64_t last_end = INT64_MIN;
    std::int64_t second_end = INT64_MIN;  ///< the last but one
    int last_rank = -1;                   ///< that ended last; without a clock, that took longest

    void take(double another, OverRanks over_ranks) {
        const bool first = ranks++ == 0;
        if (over_ranks == OverRanks::mean) {
            time += another;
        } else if (over_ranks == OverRanks::median) {
            times.push_back(another);
        } else if (over_ranks == OverRanks::min) {
            time = first ? another : std::min(time, another);
        } else {
            time = std::max(time, another);
        }
    }

    void end(int rank, std::int64_t at) {
        second_end = std::max(second_end, std::min(at, last_end));
        if (at > last_end) {
            last_end = at;
            last_rank = rank;
        }
    }

    /// Who was last, if by more than clocks may be wrong; -1 if nobody can be named.
    [[nodiscard]] int clearly_last(std::int64_t unsure) const {
        return ranks_seen() && last_end - second_end <= unsure ? -1 : last_rank;
    }

  private:
    [[nodiscard]] bool ranks_seen() const { return second_end != INT64_MIN; }
};

class RepetitionGathering {
  public:
    RepetitionGathering(const Rules& rules, const SampleTime& time, const GlobalTime& clock,
                        OverRanks over_ranks)
        : rules_(rules), time_(time), clock_(clock), over_ranks_(over_ranks) {}

    /// A rank takes part, whether it is looked at or not. They are seen in rising order.
    void see(int rank) {
        if (rank != seen_) {
            seen_ = rank;
            first_of_group_ = seen_before_++ % rules_.ranks_in_group() == 0;
            rules_.check_ranks(seen_before_);
        }
    }

    void add(int rank, std::int64_t first_rep, const std::vector<journal::Sample>& samples) {
        const auto begin = static_cast<std::size_t>(first_rep);
        reps_.resize(std::max(reps_.size(), begin + samples.size()));
        for (std::size_t i = 0; i < samples.size(); ++i) {
            if (rules_.counts(begin + i)) {
                add(begin + i, rank, samples[i]);
            }
        }
    }

    [[nodiscard]] std::vector<GatheredRepetition>& reps() { return reps_; }

    /// What a valid repetition counts as, if it counts.
    [[nodiscard]] std::optional<double> time_of(const GatheredRepetition& rep) const {
        if (rep.ranks == 0) {
            return std::nullopt;
        }
        if (over_ranks_ == OverRanks::span) {
            return clock_.known() ? std::optional(time_.by_call({rep.last_end - rep.first_start}))
                                  : std::nullopt;
        }
        if (over_ranks_ == OverRanks::median) {
            return stats::median_of(rep.times);
        }
        return over_ranks_ == OverRanks::mean ? rep.time / rep.ranks : rep.time;
    }

  private:
    void add(std::size_t index, int rank, const journal::Sample& sample) {
        auto& rep = reps_[index];
        if (!sample.valid) {
            rep.valid = false;
            return;
        }
        const auto whole = time_.whole(rank, sample);
        if (clock_.known()) {
            const auto start = clock_.global(rank, sample.start).count;
            rep.first_start = std::min(rep.first_start, start);
            rep.last_start = std::max(rep.last_start, start);
            rep.end(rank, start + whole.count);
        } else {
            rep.end(rank, whole.count);
        }
        // The root is the first rank of a group.
        const bool skipped = over_ranks_ == OverRanks::root && !first_of_group_;
        if (!skipped && rules_.counts(rank, index)) {
            rep.take(time_.by_call(whole), over_ranks_);
        }
    }

    const Rules& rules_;
    const SampleTime& time_;
    const GlobalTime& clock_;
    OverRanks over_ranks_;
    int seen_ = -1;
    int seen_before_ = 0;
    bool first_of_group_ = true;
    std::vector<GatheredRepetition> reps_;
};

/// Messages between pairs: from the sender's start to the receiver's end on the global clock. In even
/// repetitions the first of a pair sends, in odd ones the second.
class Messages {
  public:
    Messages(const store::Store& store, const store::PointRow& point, const GlobalTime& clock,
             const SampleTime& time, const RankSet& ranks) {
        if (!clock.known()) {
            return;
        }
        store.visit_samples(
            point.id, [&](int rank, std::int64_t first_rep, const std::vector<journal::Sample>& samples) {
                if (!ranks.contains(rank)) {
                    return;
                }
                auto& stretches = of_rank_[rank];
                stretches.resize(static_cast<std::size_t>(first_rep));
                for (const auto& sample : samples) {
                    const auto start = clock.global(rank, sample.start);
                    stretches.push_back({start, start + time.whole(rank, sample)});
                }
            });
        for (const auto& text : split(point.pairs, ',')) {
            pairs_.push_back(plan::parse_pair(text));
        }
    }

    /// Reports the time of each message of a repetition, with its sender.
    template <typename Visit>
    void of(std::size_t rep, const Visit& visit) const {
        for (const auto& [leader, partner] : pairs_) {
            const int sender = rep % 2 == 0 ? leader : partner;
            const int receiver = rep % 2 == 0 ? partner : leader;
            const auto from = of_rank_.find(sender);
            const auto to = of_rank_.find(receiver);
            if (from != of_rank_.end() && to != of_rank_.end() && rep < from->second.size() &&
                rep < to->second.size()) {
                visit(sender, to->second[rep].end - from->second[rep].start);
            }
        }
    }

  private:
    struct Stretch {
        Nanoseconds start;  ///< on the global clock
        Nanoseconds end;
    };
    std::map<int, std::vector<Stretch>> of_rank_;
    std::vector<std::pair<int, int>> pairs_;
};

/// Messages count instead of what their two ends took.
void count_messages(const Messages& messages, const SampleTime& time, OverRanks over_ranks,
                    std::vector<GatheredRepetition>& reps) {
    for (std::size_t i = 0; i < reps.size(); ++i) {
        reps[i].time = 0;
        reps[i].times.clear();
        reps[i].ranks = 0;
        messages.of(i, [&](int sender, Nanoseconds message) {
            if (over_ranks != OverRanks::root || sender == 0) {
                reps[i].take(time.by_call(message), over_ranks);
            }
        });
    }
}

using ByRank = std::map<int, std::vector<double>>;

ByRank by_sender(const Messages& messages, const SampleTime& time,
                 const std::vector<GatheredRepetition>& reps) {
    ByRank found;
    for (std::size_t i = 0; i < reps.size(); ++i) {
        messages.of(i, [&](int sender, Nanoseconds message) {
            if (reps[i].valid) {
                found[sender].push_back(time.by_call(message));
            }
        });
    }
    return found;
}

/// Each rank's times while it is not yet known which repetitions are valid.
class OwnTimes {
  public:
    void add(int rank, std::int64_t first_rep, const std::vector<journal::Sample>& samples,
             const SampleTime& time) {
        auto& known = of_rank_[rank];
        known.resize(static_cast<std::size_t>(first_rep), absent);
        for (const auto& sample : samples) {
            known.push_back(time.of(rank, sample));
        }
    }

    [[nodiscard]] ByRank valid(const Rules& rules, const std::vector<GatheredRepetition>& reps) const {
        ByRank found;
        for (const auto& [rank, times] : of_rank_) {
            for (std::size_t rep = 0; rep < times.size(); ++rep) {
                if (!std::isnan(times[rep]) && reps[rep].valid && rules.counts(rep) &&
                    rules.counts(rank, rep)) {
                    found[rank].push_back(times[rep]);
                }
            }
        }
        return found;
    }

  private:
    static constexpr double absent = std::numeric_limits<double>::quiet_NaN();
    ByRank of_rank_;
};

/// How far a rank's clock may be off while these were measured, at most.
std::int64_t largest_bound(const GlobalTime& clock,
                           const std::map<int, std::pair<Nanoseconds, Nanoseconds>>& spans) {
    std::int64_t largest = 0;
    for (const auto& [rank, span] : spans) {
        largest = std::max(largest, clock.largest_bound(rank, span.first, span.second).count);
    }
    return largest;
}

/// Those of a list that runs parallel to the times; another list is left alone.
template <typename Value>
void leave_out(std::vector<Value>& values, const std::vector<bool>& marked) {
    if (values.size() != marked.size()) {
        return;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!marked[i]) {
            values[kept++] = values[i];
        }
    }
    values.resize(kept);
}

}  // namespace

Repetitions repetitions_of(const store::Store& store, const store::PointRow& point, const GlobalTime& clock,
                           const WholeView& view, bool with_ranks) {
    const auto over_ranks = view.over_ranks;
    const auto& ranks = view.ranks;
    const SampleTime time(store, point, view.round_trip);
    const Rules rules(store, point);
    RepetitionGathering gathering(rules, time, clock, over_ranks);
    const bool by_rank = over_ranks == OverRanks::each || with_ranks;
    OwnTimes own;
    Repetitions found;
    constexpr Nanoseconds second{1'000'000'000};
    found.parts = static_cast<double>(second.count) / time.by_call(second);
    store.visit_samples(point.id, [&](int rank, std::int64_t first_rep,
                                      const std::vector<journal::Sample>& samples) {
        gathering.see(rank);
        if (samples.empty() || !ranks.contains(rank)) {
            return;
        }
        auto& span = found.spans.try_emplace(rank, samples.front().start, samples.back().start).first->second;
        span.second = samples.back().start;
        gathering.add(rank, first_rep, samples);
        if (by_rank) {
            own.add(rank, first_rep, samples, time);
        }
    });
    auto& reps = gathering.reps();
    std::optional<Messages> messages;
    if (plan::find_operation(point.key.operation).kind == plan::Kind::one_way) {
        messages.emplace(store, point, clock, time, ranks);
        count_messages(*messages, time, over_ranks, reps);
    }
    const auto unsure = clock.known() ? largest_bound(clock, found.spans) : 0;
    const bool numbered = plan::find_operation(point.key.operation).kind == plan::Kind::matrix;
    for (std::size_t i = 0; i < reps.size(); ++i) {
        const auto& rep = reps[i];
        if (!rep.valid) {
            ++found.invalid;
            continue;
        }
        if (const auto value = gathering.time_of(rep)) {
            found.times.push_back(*value);
            found.last_ranks.push_back(rep.clearly_last(unsure));
            if (numbered) {
                found.numbers.push_back(static_cast<std::int64_t>(i));
            }
            if (clock.known()) {
                found.when.push_back({.start = 0, .begin = {rep.first_start}, .end = {rep.last_end}});
            }
        }
        if (rep.first_start <= rep.last_start) {
            found.skews.push_back(static_cast<double>(rep.last_start - rep.first_start));
        }
    }
    if (by_rank) {
        found.by_rank = messages ? by_sender(*messages, time, reps) : own.valid(rules, reps);
    }
    return found;
}

void add(Repetitions& repetitions, Repetitions&& another, int start) {
    const auto append = [](auto& to, auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    for (auto& stretch : another.when) {
        stretch.start = start;
    }
    repetitions.begins.push_back(repetitions.times.size());
    append(repetitions.times, another.times);
    append(repetitions.when, another.when);
    append(repetitions.last_ranks, another.last_ranks);
    append(repetitions.numbers, another.numbers);
    append(repetitions.skews, another.skews);
    repetitions.invalid += another.invalid;
    repetitions.set_aside += another.set_aside;
    repetitions.parts = another.times.empty() ? repetitions.parts : another.parts;
    for (auto& [rank, times] : another.by_rank) {
        append(repetitions.by_rank[rank], times);
    }
    repetitions.spans.merge(another.spans);
}

Repetitions without(const Repetitions& repetitions, const std::vector<bool>& marked) {
    auto kept = repetitions;
    leave_out(kept.times, marked);
    leave_out(kept.when, marked);
    leave_out(kept.last_ranks, marked);
    leave_out(kept.numbers, marked);
    leave_out(kept.skews, marked);
    for (auto& [rank, times] : kept.by_rank) {
        leave_out(times, marked);
    }
    kept.set_aside += std::count(marked.begin(), marked.end(), true);
    return kept;
}

}  // namespace fathom::analysis
