#include <algorithm>

#include "probe/clock/pair_pings.hpp"

namespace fathom::probe {

void run_clock_quality(ClockBench& bench, const plan::ClockTask& task) {
    auto& world = bench.world;
    if (world.size() < 2) {
        return;
    }
    // A rank on another host if there is one, else the last.
    const auto hosts = world.all(bench.place.host);
    const auto other =
        std::find_if(hosts.begin(), hosts.end(), [&](auto host) { return host != hosts.front(); });
    const int far = other != hosts.end() ? static_cast<int>(other - hosts.begin()) : world.size() - 1;
    if (world.rank() != 0 && world.rank() != far) {
        world.receive_idle(0);
        return;
    }
    // In pieces, so that progress shows.
    constexpr std::int64_t piece = 1000;
    auto rules = bench.rules.pings;
    int round = 0;
    for (std::int64_t left = task.pings; left > 0; left -= piece, ++round) {
        rules.most = static_cast<int>(std::min(left, piece));
        rules.patience = rules.most;
        exchange_and_record(bench, round, far, 0, rules);
    }
    // All leave together: MPI_Finalize may take only seconds.
    for (int rank = 1; world.rank() == 0 && rank < world.size(); ++rank) {
        if (rank != far) {
            world.send(rank, "done");
        }
    }
}

}  // namespace fathom::probe
