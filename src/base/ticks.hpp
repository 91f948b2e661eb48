#pragma once

#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/// The processor's counter (TSC, CNTVCT), read directly. Processors execute out of order: how much of that a
/// reading forbids is what it costs (on a Neoverse N1, 22, 17 and 7 ns).
namespace fathom {

#if defined(__x86_64__)

/// Not before what comes before it: for the time at which something was seen.
inline std::uint64_t ticks_after() {
    _mm_lfence();
    return __rdtsc();
}

/// Ordered against what comes before and after. Other processors see nothing of what comes after earlier,
/// since stores wait until older instructions are done. A second fence would only keep the next call from
/// beginning while the counter is being read, which the time stamps of a plain program (the kernel's vDSO)
/// allow.
inline std::uint64_t ticks_in_order() {
    return ticks_after();
}

/// May be early, by what the processor has under way at a time: for the time at which something is about to
/// be written, since writing happens in order.
inline std::uint64_t ticks_about_now() {
    return __rdtsc();
}

#elif defined(__aarch64__)

inline std::uint64_t ticks_in_order() {
    std::uint64_t ticks = 0;
    std::uint64_t scratch = 0;
    // isb: not before the code above. The dependent load: nothing below executes before it.
    asm volatile(
        "isb\n\t"
        "mrs %0, cntvct_el0\n\t"
        "eor %1, %0, %0\n\t"
        "add %1, sp, %1\n\t"
        "ldr xzr, [%1]"
        : "=&r"(ticks), "=&r"(scratch)
        :
        : "memory");
    return ticks;
}

inline std::uint64_t ticks_after() {
    std::uint64_t ticks = 0;
    asm volatile(
        "isb\n\t"
        "mrs %0, cntvct_el0"
        : "=r"(ticks)
        :
        : "memory");
    return ticks;
}

inline std::uint64_t ticks_about_now() {
    std::uint64_t ticks = 0;
    asm volatile("mrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
    return ticks;
}

#else

inline std::uint64_t ticks_in_order() {
    return 0;
}
inline std::uint64_t ticks_after() {
    return 0;
}
inline std::uint64_t ticks_about_now() {
    return 0;
}

#endif

}  // namespace fathom
