#include <algorithm>
#include <random>
#include <utility>

#include "probe/clock/pair_pings.hpp"

namespace fathom::probe {
namespace {

/// All pairs of ranks, or a random choice of this many, the same on all ranks.
std::vector<std::pair<int, int>> choose_pairs(int size, std::int64_t most, std::uint64_t seed) {
    std::vector<std::pair<int, int>> pairs;
    const auto all = std::int64_t{size} * (size - 1) / 2;
    if (all <= most) {
        for (int a = 0; a < size; ++a) {
            for (int b = a + 1; b < size; ++b) {
                pairs.emplace_back(b, a);
            }
        }
        return pairs;
    }
    std::mt19937_64 random(seed);
    const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
    while (static_cast<std::int64_t>(pairs.size()) < most) {
        const int a = below(size);
        const int b = below(size);
        const auto pair = std::pair(std::max(a, b), std::min(a, b));
        if (a != b && std::find(pairs.begin(), pairs.end(), pair) == pairs.end()) {
            pairs.push_back(pair);
        }
    }
    return pairs;
}

}  // namespace

void run_clock_drift(ClockBench& bench, const plan::ClockTask& task) {
    const auto pairs = choose_pairs(bench.world.size(), task.pairs, bench.seed);
    const int rank = bench.world.rank();
    const auto begin = bench.clock.now();
    const auto rounds = task.length.count / task.every.count + 1;
    for (std::int64_t round = 0; round < rounds; ++round) {
        bench.clock.wait_until(begin + Nanoseconds{round * task.every.count});
        for (const auto& [asking, answering] : pairs) {
            if (rank == 0 || rank == asking || rank == answering) {
                exchange_and_record(bench, static_cast<int>(round), asking, answering, bench.rules.pings);
            }
        }
    }
    // All leave together: MPI_Finalize may take only seconds.
    if (rank != 0) {
        bench.world.receive_idle(0);
        return;
    }
    for (int other = 1; other < bench.world.size(); ++other) {
        bench.world.send(other, "done");
    }
}

}  // namespace fathom::probe
