#include "probe/clock/local_clock.hpp"

#include <atomic>
#include <cmath>
#include <ctime>

#include <mpi.h>

#include "probe/mpi/flavour.hpp"

namespace fathom::probe {
namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;

/// Steady and free of slewing by NTP.
class MonotonicRaw : public Clock {
  public:
    [[nodiscard]] Nanoseconds now() const override {
        timespec time{};
        std::atomic_signal_fence(std::memory_order_seq_cst);
        clock_gettime(CLOCK_MONOTONIC_RAW, &time);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        return {time.tv_sec * ns_per_s + time.tv_nsec};
    }
    [[nodiscard]] std::string_view name() const override { return "monotonic_raw"; }
};

class SimulatedTime : public Clock {
  public:
    [[nodiscard]] Nanoseconds now() const override { return {std::llround(MPI_Wtime() * 1e9)}; }
    [[nodiscard]] std::string_view name() const override { return "simulated"; }
};

}  // namespace

std::unique_ptr<Clock> make_local_clock() {
    if constexpr (mpi::simulated) {
        return std::make_unique<SimulatedTime>();
    } else {
        return std::make_unique<MonotonicRaw>();
    }
}

}  // namespace fathom::probe
