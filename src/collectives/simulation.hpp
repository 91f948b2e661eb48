#pragma once

#include <cstdint>

namespace fathom::collectives {

/// In simulation all ranks share one process, and hosts have no memory that only their ranks share.
#ifdef FATHOM_SIMULATED
inline constexpr bool simulated = true;
#else
inline constexpr bool simulated = false;
#endif

/// Lets simulated time pass on this rank; nothing on real ones.
void pass_simulated_time(std::int64_t ns);

}  // namespace fathom::collectives
