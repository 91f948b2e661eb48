// The clock of real ranks; simulated_clock.cpp has that of simulated ones.
#ifndef FATHOM_SIMULATED

#include "probe/mpi/local_clock.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/error.hpp"
#include "clock/names.hpp"
#include "probe/clock/counter.hpp"
#include "probe/clock/description.hpp"
#include "probe/clock/identity.hpp"
#include "probe/clock/system_clock.hpp"
#include "probe/mpi/flavour.hpp"
#include "probe/mpi/wtime_clock.hpp"

namespace fathom::probe::mpi {
namespace {

using clock::Source;

/// The counter's rate, found out by the first rank of each host and handed to the others there: rates that
/// differ in the last digit would make their clocks drift apart. 0 where there is no counter.
CounterRate rate_of_host(Group& world, const std::vector<std::int64_t>& hosts) {
    const auto here = hosts[static_cast<std::size_t>(world.rank())];
    const auto first = static_cast<int>(std::find(hosts.begin(), hosts.end(), here) - hosts.begin());
    CounterRate rate;
    if (first == world.rank() && counter_trouble().empty()) {
        try {
            rate = counter_rate();
        } catch (const NotMeasured&) {  // NOLINT(bugprone-empty-catch): then it is not usable as a clock
        }
    }
    const auto rates = world.all(static_cast<std::int64_t>(rate.multiplier));
    return {static_cast<std::uint64_t>(rates[static_cast<std::size_t>(first)])};
}

std::unique_ptr<Clock> make(Source source, CounterRate rate) {
    switch (source) {
        case Source::counter:
            return std::make_unique<CounterClock>(rate);
        case Source::monotonic_raw:
            return std::make_unique<MonotonicRaw>();
        case Source::monotonic:
            return std::make_unique<Monotonic>();
        case Source::wtime:
        case Source::automatic:
            break;
    }
    return std::make_unique<Wtime>();
}

/// Why the counter does not serve as a clock here; empty if it does. The first rank of a host tests it.
std::string trouble_with_counter(CounterRate rate, bool first_here) {
    if (rate.multiplier == 0) {
        const auto known = counter_trouble();
        return known.empty() ? "its frequency is not what its register says" : known;
    }
    const bool torn = first_here && describe(CounterClock(rate)).monotone_across_cpus == "no";
    return torn ? "processors disagree about it" : "";
}

}  // namespace

LocalClock make_local_clock(Group& world, Source requested) {
    LocalClock local;
    local.place.host = number_of(processor_name());
    const auto hosts = world.all(local.place.host);
    const auto rate = rate_of_host(world, hosts);
    const bool first_here =
        std::find(hosts.begin(), hosts.end(), local.place.host) - hosts.begin() == world.rank();
    const auto trouble = trouble_with_counter(rate, first_here);
    // Automatic is the same source on all ranks: the best that every one of them has.
    const bool all_have_counter = world.largest(trouble.empty() ? 0 : 1) == 0;
    if (requested == Source::counter && !all_have_counter) {
        throw BadInput(fmt::format("--clock counter: {}; choose another", world.first_of(trouble)));
    }
    const auto best = all_have_counter ? Source::counter : Source::monotonic_raw;
    const auto source = requested == Source::automatic ? best : requested;
    double resolution = 1;
    for (const auto known : {Source::counter, Source::monotonic_raw, Source::monotonic, Source::wtime}) {
        const std::string name(to_text(known));
        if (known == Source::counter && !trouble.empty()) {
            local.described[name] = "not used: " + trouble;
            continue;
        }
        if (first_here || known == source) {
            const auto description = describe(*make(known, rate));
            local.described[name] = description.text();
            resolution = known == source ? description.resolution_ns : resolution;
        }
    }
    local.clock = make(source, rate);
    local.place.identity =
        clock_identity(source, source == Source::counter ? fmt::format("{}", rate.multiplier) : "");
    local.place.resolution = {std::max<std::int64_t>(1, std::llround(resolution))};
    return local;
}

}  // namespace fathom::probe::mpi

#endif
