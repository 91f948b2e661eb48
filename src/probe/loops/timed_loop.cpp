#include "probe/loops/timed_loop.hpp"

#include <algorithm>

#include "probe/loops/finished_by.hpp"
#include "probe/start/none.hpp"

namespace fathom::probe {
namespace {

class NoOperation : public Operation {
  public:
    void call() override {}
    void prepare_check() override {}
    [[nodiscard]] std::string check() const override { return {}; }
};

/// Of calls without any start, after as many to warm up.
Nanoseconds median_duration(const Clock& clock, Operation& operation, std::int64_t reps) {
    NoStart start;
    std::vector<journal::Sample> samples;
    samples.reserve(static_cast<std::size_t>(reps));
    run_timed(clock, start, operation, 0, reps, samples);
    samples.clear();
    run_timed(clock, start, operation, 0, reps, samples);
    const auto middle = samples.begin() + reps / 2;
    std::nth_element(samples.begin(), middle, samples.end(),
                     [](const auto& a, const auto& b) { return a.duration < b.duration; });
    return middle->duration;
}

}  // namespace

void run_timed(const Clock& clock, Start& start, Operation& operation, std::int64_t first, std::int64_t count,
               std::vector<journal::Sample>& samples, CounterSampler* sampler) {
    for (std::int64_t rep = first; rep < first + count; ++rep) {
        operation.next(rep);
        const bool punctual = start.align();
        const auto begin = clock.now();
        operation.call();
        const auto end = clock.now();
        samples.push_back({.start = begin, .duration = end - begin, .valid = start.in_time(end) && punctual});
        if (sampler != nullptr && sampler->after(end) && start.needs_lead_in() && rep + 1 < first + count) {
            operation.next(rep + 1);
            operation.call();
        }
    }
    operation.end_series();
}

Nanoseconds empty_repetition(const Clock& clock, std::int64_t reps) {
    NoOperation nothing;
    return median_duration(clock, nothing, reps);
}

Nanoseconds barrier_time(const Clock& clock, Start& barrier, Nanoseconds empty) {
    constexpr std::int64_t reps = 101;  // enough for a median, and not too long with many ranks
    NoOperation nothing;
    FinishedBy only_barrier(nothing, barrier);
    return std::max(Nanoseconds{0}, median_duration(clock, only_barrier, reps) - empty);
}

}  // namespace fathom::probe
