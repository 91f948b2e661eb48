// The clock of simulated ranks; local_clock.cpp has that of real ones.
#ifdef FATHOM_SIMULATED

#include <ctime>

#include <fmt/format.h>

#include "base/error.hpp"
#include "probe/clock/identity.hpp"
#include "probe/mpi/flavour.hpp"
#include "probe/mpi/local_clock.hpp"
#include "probe/mpi/wtime_clock.hpp"

namespace fathom::probe::mpi {
namespace {

/// Simulated time stands still while a rank spins: waiting must sleep in it.
class SimulatedTime : public Wtime {
  public:
    Nanoseconds wait_until(Nanoseconds time) const override {
        const auto left = (time - now()).count;
        if (left > 0) {
            constexpr std::int64_t ns_per_s = 1'000'000'000;
            const timespec nap{.tv_sec = left / ns_per_s, .tv_nsec = left % ns_per_s};
            smpi_nanosleep(&nap, nullptr);
        }
        return now();
    }
};

}  // namespace

LocalClock make_local_clock(Group& /*world*/, clock::Source requested) {
    if (requested != clock::Source::automatic && requested != clock::Source::wtime) {
        throw BadInput(
            fmt::format("in simulation the clock is wtime; '{}' would show real time", to_text(requested)));
    }
    LocalClock local;
    local.clock = std::make_unique<SimulatedTime>();
    // One simulated time for all: a single clock by construction.
    local.place = {.host = number_of(processor_name()), .identity = number_of("simulated")};
    local.described["wtime"] = "simulated time, exact to 1 ns";
    return local;
}

}  // namespace fathom::probe::mpi

#endif
