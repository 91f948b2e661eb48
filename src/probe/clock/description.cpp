#include "probe/clock/description.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <iterator>
#include <sched.h>
#include <set>
#include <unistd.h>

#include <fmt/format.h>

#include "base/units.hpp"

namespace fathom::probe {
namespace {

/// The longest observation, however coarse or slow the clock is.
constexpr std::chrono::milliseconds longest_look{5};

double resolution_ns(const Clock& clock) {
    if (clock.tick_ns() > 0) {
        return std::max(1.0, std::ceil(clock.tick_ns()));
    }
    const auto end = std::chrono::steady_clock::now() + longest_look;
    std::set<std::int64_t> steps;
    constexpr int enough = 5000;
    constexpr int reads_between_looks = 64;
    int seen = 0;
    auto last = clock.now();
    while (seen < enough && std::chrono::steady_clock::now() < end) {
        last = clock.now();
        for (int read = 0; read < reads_between_looks; ++read) {
            const auto next = clock.now();
            if (next > last) {
                steps.insert((next - last).count);
                ++seen;
            }
            last = next;
        }
    }
    // A reading takes longer than a tick of a fine clock: then the ticks show in how steps differ.
    std::int64_t smallest = steps.empty() ? 0 : *steps.begin();
    for (auto step = steps.begin(); step != steps.end() && std::next(step) != steps.end(); ++step) {
        smallest = std::min(smallest, *std::next(step) - *step);
    }
    return static_cast<double>(smallest);
}

double read_cost_ns(const Clock& clock) {
    constexpr int batches = 31;
    constexpr int reads = 64;
    std::array<double, batches> costs{};
    for (auto& cost : costs) {
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < reads; ++i) {
            static_cast<void>(clock.now());
        }
        const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
        cost = took.count() / reads;
    }
    std::nth_element(costs.begin(), costs.begin() + batches / 2, costs.end());
    return costs[batches / 2];
}

/// Visits the host's processors in turn, also those that the launcher did not give us, and looks whether time
/// ever goes back.
std::string monotone_across_cpus(const Clock& clock) {
    cpu_set_t own;
    if (::sched_getaffinity(0, sizeof own, &own) != 0) {
        return "not tested";
    }
    bool monotone = true;
    std::set<unsigned> visited;
    auto last = clock.now();
    const auto end = std::chrono::steady_clock::now() + longest_look;
    const auto processors = static_cast<unsigned>(std::max(1L, ::sysconf(_SC_NPROCESSORS_CONF)));
    constexpr unsigned rounds = 3;
    for (unsigned visit = 0; visit < rounds * processors && std::chrono::steady_clock::now() < end; ++visit) {
        const auto cpu = visit % processors;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        if (::sched_setaffinity(0, sizeof one, &one) != 0) {
            continue;  // offline, or not ours to visit
        }
        visited.insert(cpu);
        const auto now = clock.now();
        monotone = monotone && now >= last;
        last = now;
    }
    ::sched_setaffinity(0, sizeof own, &own);
    return !monotone ? "no" : visited.size() > 1 ? "yes" : "not tested";
}

}  // namespace

std::string ClockDescription::text() const {
    return fmt::format("resolution {}, read cost {}, monotone across processors: {}",
                       time_text(std::round(resolution_ns)), time_text(std::round(read_cost_ns)),
                       monotone_across_cpus);
}

ClockDescription describe(const Clock& clock) {
    return {.resolution_ns = resolution_ns(clock),
            .read_cost_ns = read_cost_ns(clock),
            .monotone_across_cpus = monotone_across_cpus(clock)};
}

}  // namespace fathom::probe
