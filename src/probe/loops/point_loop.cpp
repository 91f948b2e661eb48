#include "probe/loops/point_loop.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "journal/samples.hpp"
#include "probe/loops/timed_loop.hpp"

namespace fathom::probe {
namespace {

constexpr std::int64_t invalid_time = INT64_MAX;
constexpr std::int64_t second = 1'000'000'000;

class PointLoop {
  public:
    PointLoop(Group& group, const Clock& clock, Start& start, Operation& operation, stats::StopRule& rule,
              bool first_rank_only, const LoopLimits& limits, const LoopEvents& events)
        : group_(group),
          clock_(clock),
          start_(start),
          operation_(operation),
          rule_(rule),
          first_rank_only_(first_rank_only),
          limits_(limits),
          events_(events) {
        samples_.reserve(static_cast<std::size_t>(std::min(limits.max_reps, batch_reps)));
    }

    LoopResult run() {
        const auto begin = clock_.now();
        while (true) {
            const auto count = next_series();
            run_series(count);
            const auto elapsed = group_.largest((clock_.now() - begin).count);
            const auto valid = result_.reps - result_.invalid;
            const bool enough = valid >= limits_.min_reps;
            const bool goal = enough && rule_.reached();
            const bool most = valid >= limits_.max_reps;
            const bool over = elapsed >= limits_.budget.count;
            if (goal || most || over) {
                result_.end = goal   ? LoopResult::End::goal
                              : most ? LoopResult::End::most_reps
                                     : LoopResult::End::budget;
                deliver();
                return result_;
            }
            if (static_cast<std::int64_t>(samples_.size()) >= batch_reps) {
                deliver();
            }
            if (events_.pause) {
                events_.pause(per_call_);
            }
        }
    }

  private:
    /// Repetitions until the next decision: few at first, since nobody knows how long they take, then half as
    /// many as there are, a second's worth at most. The same on all ranks.
    [[nodiscard]] std::int64_t next_series() const {
        constexpr std::int64_t first = 10;
        const auto valid = result_.reps - result_.invalid;
        auto count = std::max(first, result_.reps / 2);
        count =
            std::min(count, std::max<std::int64_t>(1, second / std::max<std::int64_t>(1, per_rep_.count)));
        count = std::min(count, limits_.max_reps - valid);
        const auto room = batch_reps - static_cast<std::int64_t>(samples_.size());
        return std::min(count, room);
    }

    void run_series(std::int64_t count) {
        const auto before = samples_.size();
        start_.begin(count);
        if (start_.needs_lead_in()) {
            operation_.call();
        }
        const auto begin = clock_.now();
        run_timed(clock_, start_, operation_, count, samples_);
        per_rep_ = {group_.largest((clock_.now() - begin).count / count)};
        agree(before);
        result_.reps += count;
    }

    /// Invalid on one rank is invalid on all; the rule gets what the valid ones count as.
    void agree(std::size_t first) {
        std::vector<std::int64_t> times;
        for (auto i = first; i < samples_.size(); ++i) {
            const auto own = first_rank_only_ && group_.rank() != 0 ? 0 : samples_[i].duration.count;
            times.push_back(samples_[i].valid ? own : invalid_time);
        }
        group_.largest_each(times);
        std::vector<double> valid;
        for (std::size_t i = 0; i < times.size(); ++i) {
            samples_[first + i].valid = times[i] != invalid_time;
            if (times[i] != invalid_time) {
                valid.push_back(static_cast<double>(times[i]));
            }
        }
        const auto sum = std::accumulate(valid.begin(), valid.end(), 0.0);
        per_call_ = {valid.empty() ? per_rep_.count : std::llround(sum / static_cast<double>(valid.size()))};
        const auto invalid = static_cast<std::int64_t>(times.size() - valid.size());
        result_.invalid += invalid;
        rule_.add(valid);
        start_.adapt(invalid, static_cast<std::int64_t>(times.size()));
    }

    void deliver() {
        const auto count = static_cast<std::int64_t>(samples_.size());
        const auto first = result_.reps - count;
        if (group_.rank() != 0) {
            group_.send(0, journal::pack_samples(samples_));
        } else {
            for (int rank = 0; rank < group_.size(); ++rank) {
                events_.deliver({.point = 0,
                                 .rank = rank,
                                 .first_rep = first,
                                 .count = count,
                                 .data = rank == 0 ? journal::pack_samples(samples_) : group_.receive(rank)});
            }
        }
        samples_.clear();
    }

    Group& group_;
    const Clock& clock_;
    Start& start_;
    Operation& operation_;
    stats::StopRule& rule_;
    bool first_rank_only_;
    const LoopLimits& limits_;
    const LoopEvents& events_;
    std::vector<journal::Sample> samples_;
    LoopResult result_;
    Nanoseconds per_rep_{1};   // with what it takes to start together
    Nanoseconds per_call_{1};  // of the calls alone
};

}  // namespace

LoopResult measure_point(Group& group, const Clock& clock, Start& start, Operation& operation,
                         stats::StopRule& rule, bool first_rank_only, const LoopLimits& limits,
                         const LoopEvents& events) {
    return PointLoop(group, clock, start, operation, rule, first_rank_only, limits, events).run();
}

}  // namespace fathom::probe
