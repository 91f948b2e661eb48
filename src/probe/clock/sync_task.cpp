#include "probe/clock/tasks.hpp"

namespace fathom::probe {

void run_clock_sync(ClockBench& bench, const plan::ClockTask& task) {
    auto rules = bench.rules;
    rules.use_shared_clocks = false;  // the question is how well offsets are measured
    Synchroniser synchroniser(bench.world, bench.clock, bench.place, rules);
    const auto begin = bench.clock.now();
    for (std::int64_t i = 0; i < task.repeat; ++i) {
        bench.keeper.verify(synchroniser);
    }
    constexpr Nanoseconds shortest_base{500'000'000};
    bench.clock.wait_until(begin + shortest_base);
    bench.keeper.verify(synchroniser);
}

}  // namespace fathom::probe
