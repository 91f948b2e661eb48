#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "journal/records.hpp"
#include "journal/samples.hpp"
#include "probe/interfaces/clock.hpp"
#include "probe/interfaces/group.hpp"
#include "probe/interfaces/operation.hpp"
#include "probe/interfaces/start.hpp"
#include "probe/loops/counter_sampler.hpp"
#include "stats/stopping/stop_rule.hpp"
#include "stats/stopping/thinned_series.hpp"
#include "stats/summary.hpp"

namespace fathom::probe {

/// Repetitions between two deliveries to rank 0. It bounds the memory of every rank (24 bytes a repetition,
/// 1.5 MiB) and of rank 0 (its own batch and one packed batch of another), whatever the number of ranks or
/// repetitions.
inline constexpr std::int64_t batch_reps = 65'536;

/// Places in memory over which the least time of a point is spread: where buffers happen to lie makes a
/// percent or two.
inline constexpr std::int64_t places = 10;

/// Limits of a stopping rule.
struct LoopLimits {
    std::int64_t min_reps = 1;  ///< valid ones
    std::int64_t max_reps = 1;  ///< valid ones
    Nanoseconds budget{INT64_MAX};
    std::int64_t before_budget = 0;           ///< valid repetitions that are made whatever the budget
    Nanoseconds least{0};                     ///< before which the rule does not end the loop
    bool leave_out_preempted = false;         ///< the rule sees no repetition in which a rank was preempted
    std::int64_t most_in_series = INT64_MAX;  ///< repetitions
};

/// How a repetition is reduced for the rule.
struct LoopTimes {
    bool first_rank_only = false;  ///< else the largest over ranks
    bool odd_only = false;         ///< only every second repetition counts, from the second on
    bool exact = false;            ///< simulated: however few are enough to know the median
    Nanoseconds empty{0};          ///< what an empty repetition takes on this rank, to be subtracted
    Nanoseconds expected{1};       ///< a repetition, before any was made; the same on all ranks
};

/// Events that a loop reports.
struct LoopEvents {
    /// Every rank's packed samples, on rank 0 only, with the rank within the group.
    std::function<void(journal::SampleBlock)> deliver;
    /// When a rank was preempted, likewise on rank 0 only.
    std::function<void(journal::Disturbance)> disturbed = [](const auto&) {};
    /// Called on all ranks between series, with the mean time of a call (largest over ranks): the place to
    /// compare clocks again. May be empty.
    std::function<void(Nanoseconds per_rep)> pause;
    /// How long this rank has been ready to run without a processor, since it started. May be empty.
    std::function<Nanoseconds()> waited;
    /// What the operating system counted around repetitions, on rank 0 only, like samples.
    std::function<void(journal::EvidenceBlock)> counted = [](const auto&) {};
};

/// Counters to read around repetitions, on all ranks or on none.
struct LoopCounters {
    Counters* of = nullptr;  ///< none: nothing is read
    bool network = false;    ///< this rank reads for its host's network
};

/// How a loop ended; the same on all ranks.
struct LoopResult {
    enum class End { goal, most_reps, budget };
    End end = End::goal;
    std::int64_t reps = 0;     ///< all
    std::int64_t invalid = 0;  ///< on some rank
};

/// Repeats an operation until the rule is satisfied or a limit is reached, a series at a time, so that other
/// points may be measured in between. A repetition that is invalid on one rank is so on all: it is kept and
/// flagged, and another one replaces it. All members are collective, except for accessors.
class PointLoop {
  public:
    /// What is referred to must live as long as the loop.
    PointLoop(Group& group, const Clock& clock, stats::StopRule& rule, const LoopLimits& limits,
              const LoopTimes& times, LoopEvents events, const LoopCounters& counters = {});

    /// Makes one more series. True when the loop has ended.
    bool step(Start& start, Operation& operation);
    /// Sends rank 0 the remaining samples: at the end, and before other points are measured in between.
    void deliver();
    /// Steps to the end, or for this long. True when the loop has ended.
    bool run_for(Start& start, Operation& operation, Nanoseconds time);

    [[nodiscard]] const LoopResult& result() const { return result_; }
    /// The valid repetitions as the rule saw them, and where their median lies; nothing if there are too few
    /// to bound it.
    struct Time {
        double median = 0;
        stats::Interval bounds;
    };
    [[nodiscard]] std::optional<Time> time() const;
    /// The same without an interval, from however few repetitions.
    [[nodiscard]] Nanoseconds typical_time() const;

  private:
    [[nodiscard]] std::int64_t next_series() const;
    void make_room(std::size_t count);
    void run_series(Start& start, Operation& operation, std::int64_t count);
    void agree(Start& start, std::size_t first);
    [[nodiscard]] std::vector<bool> preempted_since(std::size_t first);
    void run_stretch(Start& start, Operation& operation, std::int64_t first, std::int64_t count);
    void note_disturbance(Nanoseconds begin, Nanoseconds end, Nanoseconds waited);

    Group& group_;
    const Clock& clock_;
    stats::StopRule& rule_;
    LoopLimits limits_;
    LoopTimes times_;
    LoopEvents events_;
    std::optional<CounterSampler> sampler_;
    std::vector<journal::Sample> samples_;
    std::vector<journal::Disturbance> disturbances_;
    stats::ThinnedSeries valid_times_;
    LoopResult result_;
    Nanoseconds elapsed_{0};   // the largest over ranks, of all series
    Nanoseconds per_rep_;      // with what it takes to start together
    Nanoseconds per_call_{1};  // of the calls alone
};

}  // namespace fathom::probe
