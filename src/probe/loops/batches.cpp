#include "probe/loops/batches.hpp"

#include <algorithm>
#include <vector>

#include "journal/samples.hpp"
#include "probe/loops/timed_loop.hpp"

namespace fathom::probe {

void measure_in_batches(Group& group, const Clock& clock, Start& start, Operation& operation,
                        std::int64_t reps, const std::function<void(journal::SampleBlock)>& deliver) {
    std::vector<journal::Sample> samples;
    samples.reserve(static_cast<std::size_t>(std::min(reps, batch_reps)));
    for (std::int64_t first = 0; first < reps; first += batch_reps) {
        const auto count = std::min(batch_reps, reps - first);
        samples.clear();
        run_timed(clock, start, operation, count, samples);
        if (group.rank() != 0) {
            group.send(0, journal::pack_samples(samples));
            continue;
        }
        for (int rank = 0; rank < group.size(); ++rank) {
            deliver({.point = 0,
                     .rank = rank,
                     .first_rep = first,
                     .count = count,
                     .data = rank == 0 ? journal::pack_samples(samples) : group.receive(rank)});
        }
    }
}

}  // namespace fathom::probe
