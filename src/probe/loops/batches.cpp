#include "probe/loops/batches.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "journal/samples.hpp"
#include "probe/loops/timed_loop.hpp"

namespace fathom::probe {
namespace {

/// Repetitions between two pauses: few at first, since nobody knows how long they take, then about a second's
/// worth. The same on all ranks.
class Rhythm {
  public:
    Rhythm(Group& group, const Clock& clock) : group_(group), clock_(clock), begin_(clock.now()) {}

    [[nodiscard]] std::int64_t reps() const { return reps_; }

    /// After so many repetitions.
    void beat(std::int64_t done) {
        const auto now = clock_.now();
        const auto per_rep = std::max<std::int64_t>(1, group_.largest((now - begin_).count / done));
        begin_ = now;
        constexpr std::int64_t second = 1'000'000'000;
        constexpr std::int64_t growth = 10;
        reps_ = std::clamp<std::int64_t>(second / per_rep, 1, reps_ * growth);
    }

    void resume() { begin_ = clock_.now(); }

  private:
    Group& group_;
    const Clock& clock_;
    Nanoseconds begin_;
    std::int64_t reps_ = 10;
};

/// Of the calls alone, without what it takes to start together; largest over ranks.
Nanoseconds mean_time(Group& group, std::span<const journal::Sample> samples) {
    std::int64_t sum = 0;
    for (const auto& sample : samples) {
        sum += sample.duration.count;
    }
    return {group.largest(sum / static_cast<std::int64_t>(samples.size()))};
}

}  // namespace

void measure_in_batches(Group& group, const Clock& clock, Start& start, Operation& operation,
                        std::int64_t reps, const BatchEvents& events) {
    std::vector<journal::Sample> samples;
    samples.reserve(static_cast<std::size_t>(std::min(reps, batch_reps)));
    Rhythm rhythm(group, clock);
    for (std::int64_t first = 0; first < reps; first += batch_reps) {
        const auto count = std::min(batch_reps, reps - first);
        samples.clear();
        for (std::int64_t done = 0; done < count;) {
            const auto some = events.pause ? std::min(rhythm.reps(), count - done) : count;
            run_timed(clock, start, operation, some, samples);
            done += some;
            if (events.pause && first + done < reps) {
                rhythm.beat(some);
                events.pause(mean_time(group, std::span(samples).last(static_cast<std::size_t>(some))));
                rhythm.resume();
            }
        }
        if (group.rank() != 0) {
            group.send(0, journal::pack_samples(samples));
            continue;
        }
        for (int rank = 0; rank < group.size(); ++rank) {
            events.deliver({.point = 0,
                            .rank = rank,
                            .first_rep = first,
                            .count = count,
                            .data = rank == 0 ? journal::pack_samples(samples) : group.receive(rank)});
        }
        rhythm.resume();
    }
}

}  // namespace fathom::probe
