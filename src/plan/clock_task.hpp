#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace fathom::plan {

/// A study of the clock, as `fathom clock` asks for it. Fields matter to the kinds named.
struct ClockTask {
    std::string kind;                    ///< sync, drift, quality, check; empty: measure operations instead
    std::int64_t repeat = 1;             ///< sync
    Nanoseconds length{60'000'000'000};  ///< drift
    Nanoseconds every{1'000'000'000};    ///< drift
    std::int64_t pairs = 28;             ///< drift: most pairs of ranks
    std::int64_t pings = 50'000;         ///< quality
    std::vector<Nanoseconds> after = {{0}};  ///< check: times since the clocks were set
    std::int64_t events = 50;                ///< check: at each of these times
};

}  // namespace fathom::plan
