#pragma once

#include <memory>

#include "probe/clock/counter.hpp"
#include "probe/clock/system_clock.hpp"

namespace fathom::bench {

/// What `--clock auto` takes on this host.
inline std::unique_ptr<probe::Clock> usual_clock() {
    if (probe::counter_trouble().empty()) {
        return std::make_unique<probe::CounterClock>(probe::counter_rate());
    }
    return std::make_unique<probe::MonotonicRaw>();
}

}  // namespace fathom::bench
