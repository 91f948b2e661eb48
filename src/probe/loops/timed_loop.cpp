#include "probe/loops/timed_loop.hpp"

namespace fathom::probe {

void run_timed(const Clock& clock, Start& start, Operation& operation, std::int64_t count,
               std::vector<journal::Sample>& samples) {
    for (std::int64_t rep = 0; rep < count; ++rep) {
        const bool punctual = start.align();
        const auto begin = clock.now();
        operation.call();
        const auto end = clock.now();
        samples.push_back({.start = begin, .duration = end - begin, .valid = start.in_time(end) && punctual});
    }
}

void run_untimed(Start& start, Operation& operation, std::int64_t count) {
    for (std::int64_t rep = 0; rep < count; ++rep) {
        start.align();
        operation.call();
    }
}

}  // namespace fathom::probe
