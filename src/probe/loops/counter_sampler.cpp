#include "probe/loops/counter_sampler.hpp"

#include <algorithm>
#include <utility>

namespace fathom::probe {
namespace {

/// Readings take this fraction of the time.
constexpr std::int64_t share = 500;
/// A repetition is late when it takes longer by this many readings.
constexpr std::int64_t calm_readings = 50;

std::int64_t reps_between(Nanoseconds cost, Nanoseconds per_rep) {
    return std::max<std::int64_t>(1, share * cost.count / std::max<std::int64_t>(1, per_rep.count));
}

}  // namespace

CounterSampler::CounterSampler(Group& group, const Clock& clock, Counters& counters, bool network)
    : clock_(clock),
      counters_(counters),
      rank_(group.rank()),
      network_(network),
      own_cost_{group.largest(counters.own_cost().count)},
      network_cost_{group.largest(network ? counters.network_cost().count : 0)} {}

void CounterSampler::begin(Nanoseconds per_rep) {
    own_every_ = reps_between(own_cost_, per_rep);
    network_every_ = network_cost_.count > 0 ? reps_between(network_cost_, per_rep) : INT64_MAX;
    own_patience_ = per_rep + Nanoseconds{calm_readings * own_cost_.count};
    network_patience_ = per_rep + Nanoseconds{calm_readings * network_cost_.count};
    begun_ = clock_.now();
    if (!own_.known || begun_ - last_end_ > own_patience_) {
        read_own();
    }
    if (network_ && (!of_network_.known || begun_ - last_end_ > network_patience_)) {
        read_network();
    }
    since_ = 0;
    first_of_series_ = stretches_.size();
    last_end_ = clock_.now();
}

std::vector<journal::CountedStretch> CounterSampler::preempted() {
    if (since_ > 0) {
        since_ = 0;
        read_own();
    }
    std::vector<journal::CountedStretch> found;
    for (auto i = first_of_series_; i < stretches_.size(); ++i) {
        if (stretches_[i].counts.preempted > 0 || stretches_[i].counts.waited_ns > 0) {
            found.push_back(stretches_[i]);
        }
    }
    return found;
}

void CounterSampler::end_stretch() {
    if (network_ && last_end_ - of_network_.at >= Nanoseconds{share * network_cost_.count}) {
        read_network();
    }
    sums_.measured_ns += (clock_.now() - begun_).count;
    begun_ = clock_.now();
}

void CounterSampler::read_late(Nanoseconds took) {
    read_own();
    if (network_ && took > network_patience_) {
        read_network();
    }
    last_end_ = clock_.now();
}

void CounterSampler::read_own() {
    const auto begin = clock_.now();
    keep(own_, begin, counters_.own());
}

void CounterSampler::read_network() {
    const auto begin = clock_.now();
    keep(of_network_, begin, counters_.network());
}

/// What was counted since the last reading of this kind, if anything was.
void CounterSampler::keep(Kind& kind, Nanoseconds begin, const journal::Counts& now) {
    const auto end = clock_.now();
    if (kind.known) {
        // What happens during a reading may belong to either of two stretches, so both include it.
        const journal::CountedStretch stretch{.begin = kind.at, .end = end, .counts = now - kind.counts};
        if (!stretch.counts.none()) {
            stretches_.push_back(stretch);
        }
    }
    kind = {.known = true, .at = begin, .counts = now};
    ++sums_.readings;
    sums_.spent_ns += (end - begin).count;
    last_end_ = end;
}

journal::EvidenceBlock CounterSampler::take() {
    if (own_.known) {
        read_own();
    }
    if (of_network_.known) {
        read_network();
    }
    own_.known = false;
    of_network_.known = false;
    auto block = std::exchange(sums_, {});
    sums_.block = block.block + 1;
    block.rank = rank_;
    block.count = static_cast<std::int64_t>(stretches_.size());
    block.network = network_;
    block.rto_ns = network_ ? counters_.rto().count : 0;
    block.rto_min_ns = network_ ? counters_.least_rto().count : 0;
    block.data = journal::pack_evidence(std::exchange(stretches_, {}));
    return block;
}

}  // namespace fathom::probe
