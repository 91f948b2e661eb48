#include "probe/loops/point_loop.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "journal/journal.hpp"
#include "probe/loops/timed_loop.hpp"

namespace fathom::probe {
namespace {

constexpr std::int64_t invalid_time = INT64_MAX;
constexpr std::int64_t preempted_time = invalid_time - 1;
constexpr std::int64_t second = 1'000'000'000;

}  // namespace

PointLoop::PointLoop(Group& group, const Clock& clock, stats::StopRule& rule, const LoopLimits& limits,
                     const LoopTimes& times, LoopEvents events, const LoopCounters& counters)
    : group_(group),
      clock_(clock),
      rule_(rule),
      limits_(limits),
      times_(times),
      events_(std::move(events)),
      per_rep_{std::max<std::int64_t>(1, times.expected.count)} {
    if (counters.of != nullptr) {
        sampler_.emplace(group, clock, *counters.of, counters.network);
    }
}

bool PointLoop::step(Start& start, Operation& operation) {
    if (static_cast<std::int64_t>(samples_.size()) >= batch_reps) {
        deliver();
    }
    // A start that has just become careful would make a series that was short before take seconds.
    per_rep_ = std::max(per_rep_, start.least_rep());
    const auto begin = clock_.now();
    run_series(start, operation, next_series());
    elapsed_ = elapsed_ + Nanoseconds{group_.largest((clock_.now() - begin).count)};
    const auto valid = result_.reps - result_.invalid;
    const bool goal = valid >= limits_.min_reps && rule_.reached();
    const bool most = valid >= limits_.max_reps;
    const bool out_of_time = elapsed_ >= limits_.budget && valid >= limits_.before_budget;
    if (!(goal && elapsed_ >= limits_.least) && !most && !out_of_time) {
        return false;
    }
    result_.end = goal ? LoopResult::End::goal : most ? LoopResult::End::most_reps : LoopResult::End::budget;
    return true;
}

bool PointLoop::run_for(Start& start, Operation& operation, Nanoseconds time) {
    const auto end = elapsed_.count > INT64_MAX - time.count ? Nanoseconds{INT64_MAX} : elapsed_ + time;
    while (!step(start, operation)) {
        if (events_.pause) {
            events_.pause(per_call_);
        }
        if (elapsed_ >= end) {
            return false;
        }
    }
    return true;
}

/// Repetitions until the next decision: few at first, since nobody knows how long they take, then half as
/// many as there are, a second's worth at most. The same on all ranks.
std::int64_t PointLoop::next_series() const {
    constexpr std::int64_t first = 10;
    const auto valid = result_.reps - result_.invalid;
    auto count = std::max(first, result_.reps / 2);
    const auto longest = elapsed_ < limits_.least ? limits_.least.count / places : second;
    count = std::min(count, std::max<std::int64_t>(1, longest / std::max<std::int64_t>(1, per_rep_.count)));
    count = std::min(count, limits_.max_reps - valid);
    // Where the time is short, not even the first few.
    const auto left = valid < limits_.before_budget
                          ? INT64_MAX
                          : limits_.budget.count - std::min(limits_.budget, elapsed_).count;
    count = std::min(count, std::max<std::int64_t>(1, left / std::max<std::int64_t>(1, per_rep_.count)));
    const auto room = batch_reps - static_cast<std::int64_t>(samples_.size());
    return std::min({count, room, limits_.most_in_series});
}

void PointLoop::run_series(Start& start, Operation& operation, std::int64_t count) {
    const auto before = samples_.size();
    make_room(before + static_cast<std::size_t>(count));
    const auto waited_before = events_.waited ? events_.waited() : Nanoseconds{0};
    const auto begin = clock_.now();
    if (sampler_) {
        sampler_->begin(per_rep_);
    }
    const auto stretch = sampler_ ? sampler_->stretch() : count;
    for (std::int64_t done = 0; done < count; done += stretch) {
        run_stretch(start, operation, result_.reps + done, std::min(stretch, count - done));
    }
    const auto end = clock_.now();
    if (events_.waited) {
        note_disturbance(begin, end, events_.waited() - waited_before);
    }
    per_rep_ = {group_.largest((end - begin).count / count)};
    agree(start, before);
    result_.reps += count;
}

/// Writes to the memory as well: the page faults of new memory would otherwise come between repetitions, and
/// delay this rank while others wait for it in their next call.
void PointLoop::make_room(std::size_t count) {
    const auto used = samples_.size();
    samples_.reserve(count);
    samples_.resize(count);
    samples_.resize(used);
}

/// Repetitions between two readings of the network: all there are, where nobody reads.
void PointLoop::run_stretch(Start& start, Operation& operation, std::int64_t first, std::int64_t count) {
    start.begin(count);
    const bool first_of_series = first == result_.reps;
    if (start.needs_lead_in() && (first_of_series || sampler_->lead_in_after_stretch())) {
        operation.next(first);
        operation.call();
    }
    run_timed(clock_, start, operation, first, count, samples_, sampler_ ? &*sampler_ : nullptr);
    if (sampler_) {
        sampler_->end_stretch();
    }
}

/// Of the samples from this one on, whether this rank was preempted meanwhile, or between two readings of the
/// counters around it.
std::vector<bool> PointLoop::preempted_since(std::size_t first) {
    std::vector<bool> marked(samples_.size() - first);
    if (!sampler_ || !limits_.leave_out_preempted) {
        return marked;
    }
    auto i = first;
    for (const auto& stretch : sampler_->preempted()) {
        while (i < samples_.size() && samples_[i].start + samples_[i].duration <= stretch.begin) {
            ++i;
        }
        for (auto k = i; k < samples_.size() && samples_[k].start < stretch.end; ++k) {
            marked[k - first] = true;
        }
    }
    return marked;
}

/// Invalid on one rank is invalid on all. The rule gets what the valid ones count as, if so asked without
/// those in which a rank was preempted: the analysis sets them aside too.
void PointLoop::agree(Start& start, std::size_t first) {
    const auto preempted = preempted_since(first);
    std::vector<std::int64_t> times;
    for (auto i = first; i < samples_.size(); ++i) {
        const auto corrected = std::max<std::int64_t>(0, (samples_[i].duration - times_.empty).count);
        const auto own = times_.first_rank_only && group_.rank() != 0 ? 0 : corrected;
        times.push_back(!samples_[i].valid ? invalid_time : preempted[i - first] ? preempted_time : own);
    }
    group_.largest_each(times);
    std::vector<double> valid;
    for (std::size_t i = 0; i < times.size(); ++i) {
        samples_[first + i].valid = times[i] != invalid_time;
        const bool counts = !times_.odd_only || (result_.reps + static_cast<std::int64_t>(i)) % 2 == 1;
        if (times[i] < preempted_time && counts) {
            valid.push_back(static_cast<double>(times[i]));
        }
    }
    const auto sum = std::accumulate(valid.begin(), valid.end(), 0.0);
    per_call_ = {valid.empty() ? per_rep_.count : std::llround(sum / static_cast<double>(valid.size()))};
    const auto invalid = std::count(times.begin(), times.end(), invalid_time);
    result_.invalid += invalid;
    rule_.add(valid);
    valid_times_.add(valid);
    start.adapt(invalid, static_cast<std::int64_t>(times.size()));
}

/// A series in which the rank was preempted for long enough to matter.
void PointLoop::note_disturbance(Nanoseconds begin, Nanoseconds end, Nanoseconds waited) {
    constexpr std::int64_t least_ns = 500'000;
    constexpr double least_share = 0.02;
    const auto share = least_share * static_cast<double>((end - begin).count);
    if (waited.count < least_ns || static_cast<double>(waited.count) < share) {
        return;
    }
    disturbances_.push_back({.point = 0,
                             .rank = group_.rank(),
                             .begin_ns = begin.count,
                             .end_ns = end.count,
                             .waited_ns = waited.count});
}

void PointLoop::deliver() {
    const auto count = static_cast<std::int64_t>(samples_.size());
    const auto first = result_.reps - count;
    if (group_.rank() != 0) {
        group_.send(0, journal::pack_samples(samples_));
        group_.send(0, bytes_of_all<journal::Disturbance>(disturbances_));
        if (sampler_) {
            group_.send(0, journal::packed(sampler_->take()));
        }
    } else {
        for (int rank = 0; rank < group_.size(); ++rank) {
            events_.deliver({.point = 0,
                             .rank = rank,
                             .first_rep = first,
                             .count = count,
                             .data = rank == 0 ? journal::pack_samples(samples_) : group_.receive(rank)});
            const auto disturbances =
                rank == 0 ? disturbances_ : values_from<journal::Disturbance>(group_.receive(rank));
            for (const auto& stretch : disturbances) {
                events_.disturbed(stretch);
            }
            if (sampler_) {
                events_.counted(rank == 0 ? sampler_->take()
                                          : std::get<journal::EvidenceBlock>(
                                                journal::unpacked(group_.receive(rank)).value()));
            }
        }
    }
    samples_ = {};  // other points may come in between: they need the memory
    disturbances_.clear();
}

std::optional<PointLoop::Time> PointLoop::time() const {
    const auto values = valid_times_.values();
    const auto summary = stats::summarise({values.begin(), values.end()});
    if (!summary) {
        return std::nullopt;
    }
    const auto bounds = stats::median_bounds(*summary, times_.exact);
    return bounds ? std::optional(Time{.median = summary->median, .bounds = *bounds}) : std::nullopt;
}

Nanoseconds PointLoop::typical_time() const {
    const auto known = time();
    return known ? Nanoseconds{std::llround(known->median)} : per_call_;
}

}  // namespace fathom::probe
