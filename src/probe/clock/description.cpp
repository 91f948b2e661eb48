#include "probe/clock/description.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <sched.h>
#include <set>

#include <fmt/format.h>

namespace fathom::probe {
namespace {

/// No look takes longer, however coarse or slow the clock is.
constexpr std::chrono::milliseconds longest_look{5};

double resolution_ns(const Clock& clock) {
    const auto end = std::chrono::steady_clock::now() + longest_look;
    std::set<std::int64_t> steps;
    constexpr int enough = 5000;
    for (int reads = 0; reads < enough && std::chrono::steady_clock::now() < end; ++reads) {
        const auto before = clock.now();
        const auto step = clock.now() - before;
        if (step.count > 0) {
            steps.insert(step.count);
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

/// Visits the processors this process may use, in turn, and looks whether time ever goes back.
std::string monotone_across_cpus(const Clock& clock) {
    cpu_set_t allowed;
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2) {
        return "not tested";
    }
    bool monotone = true;
    auto last = clock.now();
    const auto end = std::chrono::steady_clock::now() + longest_look;
    constexpr int rounds = 3;
    for (int visit = 0; visit < rounds * CPU_SETSIZE && std::chrono::steady_clock::now() < end; ++visit) {
        const auto cpu = static_cast<unsigned>(visit % CPU_SETSIZE);
        if (!CPU_ISSET(cpu, &allowed)) {
            continue;
        }
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        if (::sched_setaffinity(0, sizeof one, &one) != 0) {
            break;
        }
        const auto now = clock.now();
        monotone = monotone && now >= last;
        last = now;
    }
    ::sched_setaffinity(0, sizeof allowed, &allowed);
    return monotone ? "yes" : "no";
}

}  // namespace

std::string ClockDescription::text() const {
    return fmt::format("resolution {:.0f} ns, read cost {:.0f} ns, monotone across processors: {}",
                       resolution_ns, read_cost_ns, monotone_across_cpus);
}

ClockDescription describe(const Clock& clock) {
    return {.resolution_ns = resolution_ns(clock),
            .read_cost_ns = read_cost_ns(clock),
            .monotone_across_cpus = monotone_across_cpus(clock)};
}

}  // namespace fathom::probe
