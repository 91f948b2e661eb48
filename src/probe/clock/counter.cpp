#include "probe/clock/counter.hpp"

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "probe/clock/system_clock.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace fathom::probe {
namespace {

constexpr double ns_per_s = 1e9;

#if defined(__x86_64__)

/// CPUID leaf 0x80000007: the TSC runs at a constant rate in all power states.
bool has_invariant_tsc() {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    constexpr unsigned power_leaf = 0x80000007;
    constexpr unsigned invariant_bit = 1U << 8;
    return __get_cpuid(power_leaf, &a, &b, &c, &d) != 0 && (d & invariant_bit) != 0;
}

/// The kernel drops `tsc` from this list when its watchdog saw processors disagree.
bool kernel_trusts_tsc() {
    const auto sources =
        read_file_or_empty("/sys/devices/system/clocksource/clocksource0/available_clocksource");
    return sources.empty() || (" " + sources).find(" tsc") != std::string::npos;
}

#endif

/// Counter and CLOCK_MONOTONIC_RAW, read as close together as possible.
struct Match {
    std::uint64_t ticks = 0;
    double time_ns = 0;
};

Match match_with_raw() {
    const MonotonicRaw raw;
    Match best;
    auto narrowest = std::numeric_limits<std::int64_t>::max();
    constexpr int tries = 50;
    for (int i = 0; i < tries; ++i) {
        const auto before = raw.now();
        const auto ticks = ticks_in_order();
        const auto width = (raw.now() - before).count;
        if (width < narrowest) {
            narrowest = width;
            best = {ticks, static_cast<double>(before.count) + static_cast<double>(width) / 2};
        }
    }
    return best;
}

double frequency_against_raw(std::chrono::milliseconds time) {
    const auto begin = match_with_raw();
    std::this_thread::sleep_for(time);
    const auto end = match_with_raw();
    return static_cast<double>(end.ticks - begin.ticks) * ns_per_s / (end.time_ns - begin.time_ns);
}

#if defined(__aarch64__)

double frequency_of_register() {
    std::uint64_t frequency = 0;
    asm volatile("mrs %0, cntfrq_el0" : "=r"(frequency));
    return static_cast<double>(frequency);
}

#endif

}  // namespace

CounterRate CounterRate::of_frequency(double ticks_per_s) {
    return {static_cast<std::uint64_t>(std::llround(std::ldexp(ns_per_s / ticks_per_s, fraction_bits)))};
}

Nanoseconds CounterRate::nanoseconds(std::uint64_t ticks) const {
    __extension__ using Wide = unsigned __int128;
    return {static_cast<std::int64_t>((static_cast<Wide>(ticks) * multiplier) >> fraction_bits)};
}

double CounterRate::ticks_per_s() const {
    return ns_per_s / std::ldexp(static_cast<double>(multiplier), -fraction_bits);
}

#if defined(__x86_64__)

std::string counter_trouble() {
    if (!has_invariant_tsc()) {
        return "this processor's TSC is not invariant";
    }
    return kernel_trusts_tsc() ? "" : "the kernel found this processor's TSC unstable";
}

CounterRate counter_rate() {
    constexpr std::chrono::milliseconds long_enough{50};
    return CounterRate::of_frequency(frequency_against_raw(long_enough));
}

#elif defined(__aarch64__)

std::string counter_trouble() {
    return frequency_of_register() > 0 ? "" : "the firmware does not report the counter's frequency";
}

CounterRate counter_rate() {
    const double nominal = frequency_of_register();
    constexpr std::chrono::milliseconds short_look{2};
    constexpr double tolerance = 0.01;
    const double seen = frequency_against_raw(short_look);
    if (std::abs(seen / nominal - 1) > tolerance) {
        throw NotMeasured(
            fmt::format("the counter runs at {:.0f} Hz, its register says {:.0f} Hz; choose another clock "
                        "with --clock",
                        seen, nominal));
    }
    return CounterRate::of_frequency(nominal);
}

#else

std::string counter_trouble() {
    return "fathom does not support the counter of this kind of processor";
}

CounterRate counter_rate() {
    throw NotMeasured(counter_trouble());
}

#endif

}  // namespace fathom::probe
