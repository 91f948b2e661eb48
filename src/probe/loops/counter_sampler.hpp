#pragma once

#include <cstdint>
#include <vector>

#include "journal/evidence.hpp"
#include "journal/records.hpp"
#include "probe/interfaces/clock.hpp"
#include "probe/interfaces/counters.hpp"
#include "probe/interfaces/group.hpp"

namespace fathom::probe {

/// Reads counters between repetitions, never within one, and keeps what was counted between two readings
/// if anything was. All ranks read after the same number of repetitions, chosen so that readings take 0.2 %
/// of the time; and a rank reads at once when a repetition, with the wait before it, took longer than usual
/// by 50 readings, so that the events are attributed to that repetition.
class CounterSampler {
  public:
    /// What is referred to must live as long as the sampler. `network`: this rank reads for its host.
    /// Collective.
    CounterSampler(Group& group, const Clock& clock, Counters& counters, bool network);

    /// Before repetitions that take about this long, the same on all ranks.
    void begin(Nanoseconds per_rep);
    /// Repetitions until all are to stop for a reading of the network; the same on all ranks.
    [[nodiscard]] std::int64_t stretch() const { return network_every_; }
    /// Whether ranks that only the operation keeps in step should make a call that is not timed after a
    /// stretch: not where a reading is nothing beside a repetition.
    [[nodiscard]] bool lead_in_after_stretch() const { return network_every_ >= worth_a_call; }
    /// After each repetition, with its end. True when all ranks have read, and such a call is of use.
    bool after(Nanoseconds end) {
        const auto took = end - last_end_;
        last_end_ = end;
        if (++since_ >= own_every_) {
            since_ = 0;
            read_own();
            return own_every_ >= worth_a_call;
        }
        if (took > own_patience_) {
            read_late(took);
        }
        return false;
    }
    /// After a stretch of repetitions, all of them on all ranks.
    void end_stretch();
    /// Stretches of time since begin() in which this rank was preempted, in their order.
    [[nodiscard]] std::vector<journal::CountedStretch> preempted();

    /// Everything since the last call, without a point. What happens between now and the next begin is not
    /// counted.
    journal::EvidenceBlock take();

  private:
    /// Repetitions beside which one more call is little.
    static constexpr std::int64_t worth_a_call = 50;

    /// One kind of counters, and its last reading.
    struct Kind {
        bool known = false;  // there is a reading to start from
        Nanoseconds at;
        journal::Counts counts;
    };

    void read_own();
    void read_network();
    void read_late(Nanoseconds took);
    void keep(Kind& kind, Nanoseconds begin, const journal::Counts& now);

    const Clock& clock_;
    Counters& counters_;
    int rank_;
    bool network_;
    Nanoseconds own_cost_;  // the largest over ranks
    Nanoseconds network_cost_;
    std::int64_t own_every_ = 1;
    std::int64_t network_every_ = 1;
    Nanoseconds own_patience_;
    Nanoseconds network_patience_;
    std::int64_t since_ = 0;
    Nanoseconds last_end_;
    Nanoseconds begun_;
    Kind own_;
    Kind of_network_;
    std::vector<journal::CountedStretch> stretches_;
    std::size_t first_of_series_ = 0;  // among them
    journal::EvidenceBlock sums_;      // of what take() has not returned yet
};

}  // namespace fathom::probe
