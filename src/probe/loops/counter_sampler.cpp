#include "probe/loops/counter_sampler.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace fathom::probe {
namespace {

/// Readings take one part in so many of the time.
constexpr std::int64_t share = 500;
/// A repetition is late when it takes longer by so many readings.
constexpr std::int64_t calm_readings = 50;

std::int64_t reps_between(Nanoseconds cost, Nanoseconds per_rep) {
    return std::max<std::int64_t>(1, share * cost.count / std::max<std::int64_t>(1, per_rep.count));
}

using Words = std::array<std::int64_t, 8>;

}  // namespace

CounterSampler::CounterSampler(Group& group, const Clock& clock, Counters& counters, bool network)
    : clock_(clock),
      counters_(counters),
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
    last_end_ = clock_.now();
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
        // What happens during a reading may be in either of two stretches: both reach over it.
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

std::string CounterSampler::take() {
    if (own_.known) {
        read_own();
    }
    if (of_network_.known) {
        read_network();
    }
    own_.known = false;
    of_network_.known = false;
    const Words words{static_cast<std::int64_t>(stretches_.size()),
                      sums_.readings,
                      sums_.spent_ns,
                      sums_.measured_ns,
                      network_ ? 1 : 0,
                      network_ ? counters_.rto().count : 0,
                      network_ ? counters_.least_rto().count : 0,
                      sums_.block};
    std::string text(reinterpret_cast<const char*>(words.data()), sizeof words);
    text += journal::pack_evidence(stretches_);
    const int next = sums_.block + 1;
    sums_ = {};
    sums_.block = next;
    stretches_ = {};
    return text;
}

journal::EvidenceBlock CounterSampler::block_from(const std::string& packed, int rank) {
    Words words{};
    std::memcpy(words.data(), packed.data(), std::min(sizeof words, packed.size()));
    return {.point = 0,
            .rank = rank,
            .block = static_cast<int>(words[7]),
            .count = words[0],
            .readings = words[1],
            .spent_ns = words[2],
            .measured_ns = words[3],
            .network = words[4] != 0,
            .rto_ns = words[5],
            .rto_min_ns = words[6],
            .data = packed.substr(std::min(sizeof words, packed.size()))};
}

}  // namespace fathom::probe
