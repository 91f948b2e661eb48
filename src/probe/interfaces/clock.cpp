#include "probe/interfaces/clock.hpp"

#include <chrono>
#include <thread>

namespace fathom::probe {

Nanoseconds Clock::wait_until(Nanoseconds time) const {
    constexpr Nanoseconds awake_before{2'000'000};
    auto reading = now();
    while (reading < time) {
        if (time - reading > awake_before) {
            std::this_thread::sleep_for(std::chrono::nanoseconds((time - reading - awake_before).count));
        }
        reading = now();
    }
    return reading;
}

}  // namespace fathom::probe
