#include "probe/loops/system_counters.hpp"

#include <algorithm>
#include <vector>

namespace fathom::probe {
namespace {

template <typename Read>
Nanoseconds median_cost(const Clock& clock, std::size_t times, Read read) {
    std::vector<Nanoseconds> costs;
    for (std::size_t i = 0; i < times; ++i) {
        const auto begin = clock.now();
        read();
        costs.push_back(clock.now() - begin);
    }
    const auto middle = costs.begin() + static_cast<std::ptrdiff_t>(times / 2);
    std::nth_element(costs.begin(), middle, costs.end());
    return *middle;
}

}  // namespace

SystemCounters::SystemCounters(const Clock& clock) {
    constexpr std::size_t many = 101;
    constexpr std::size_t some = 21;  // each takes some ten microseconds
    own_cost_ = median_cost(clock, many, [&] { own(); });
    network_cost_ = median_cost(clock, some, [&] { network(); });
}

journal::Counts SystemCounters::own() {
    const auto now = machine::thread_counts();
    migrations_ += processor_ >= 0 && now.processor != processor_ ? 1 : 0;
    processor_ = now.processor;
    // Only a thread that was switched out waits for a processor.
    if (const auto switches = now.preempted + now.blocked; switches != switches_) {
        switches_ = switches;
        waited_ = delay_.read();
    }
    journal::Counts counts;
    counts.preempted = now.preempted;
    counts.blocked = now.blocked;
    counts.minor_faults = now.minor_faults;
    counts.major_faults = now.major_faults;
    counts.migrations = migrations_;
    counts.waited_ns = waited_.count;
    return counts;
}

journal::Counts SystemCounters::network() {
    const auto now = network_.read();
    journal::Counts counts;
    counts.tcp_timeouts = now.timeouts;
    counts.tcp_retransmits = now.repairs;
    counts.tcp_probes = now.probes;
    return counts;
}

Nanoseconds SystemCounters::rto() const {
    return machine::smallest_rto().value_or(Nanoseconds{0});
}

Nanoseconds SystemCounters::least_rto() const {
    return machine::kernel_least_rto().value_or(Nanoseconds{0});
}

}  // namespace fathom::probe
