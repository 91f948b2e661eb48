#pragma once

#include <atomic>
#include <ctime>

#include "probe/interfaces/clock.hpp"

namespace fathom::probe {

/// A clock of the kernel. The call is ordered against the code around it, by the compiler here and by the
/// processor in the kernel's code.
template <clockid_t Id>
class SystemClock : public Clock {
  public:
    [[nodiscard]] Nanoseconds now() const override {
        constexpr std::int64_t ns_per_s = 1'000'000'000;
        timespec time{};
        std::atomic_signal_fence(std::memory_order_seq_cst);
        ::clock_gettime(Id, &time);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        return {time.tv_sec * ns_per_s + time.tv_nsec};
    }
    [[nodiscard]] std::string_view name() const override {
        return Id == CLOCK_MONOTONIC_RAW ? "monotonic_raw" : "monotonic";
    }
};

/// Steady and free of slewing by NTP.
using MonotonicRaw = SystemClock<CLOCK_MONOTONIC_RAW>;
using Monotonic = SystemClock<CLOCK_MONOTONIC>;

}  // namespace fathom::probe
