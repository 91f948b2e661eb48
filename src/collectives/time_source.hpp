#pragma once

#include <cstdint>

namespace fathom::collectives {

/// What reads the time for events: a plain function, so that the probe's clock and a simulated one serve.
struct TimeSource {
    std::int64_t (*read)(const void* state) = nullptr;
    const void* state = nullptr;
};

}  // namespace fathom::collectives
