#include "collectives/simulation.hpp"

#ifdef FATHOM_SIMULATED
#include <ctime>
#endif

#include <mpi.h>

namespace fathom::collectives {

void pass_simulated_time([[maybe_unused]] std::int64_t ns) {
#ifdef FATHOM_SIMULATED
    constexpr std::int64_t ns_per_s = 1'000'000'000;
    const timespec nap{.tv_sec = ns / ns_per_s, .tv_nsec = ns % ns_per_s};
    smpi_nanosleep(&nap, nullptr);
#endif
}

}  // namespace fathom::collectives
