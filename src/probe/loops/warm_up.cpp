#include "probe/loops/warm_up.hpp"

#include <algorithm>
#include <vector>

#include "probe/loops/timed_loop.hpp"
#include "stats/stopping/stationary.hpp"

namespace fathom::probe {
namespace {

/// Times of some calls, each the largest over ranks.
std::vector<std::int64_t> times_of(Group& group, const Clock& clock, Start& start, Operation& operation,
                                   std::int64_t first, std::int64_t calls) {
    std::vector<journal::Sample> samples;
    samples.reserve(static_cast<std::size_t>(calls));
    run_timed(clock, start, operation, first, calls, samples);
    std::vector<std::int64_t> times;
    for (const auto& sample : samples) {
        times.push_back(sample.duration.count);
    }
    group.largest_each(times);
    return times;
}

}  // namespace

WarmUp warm_up(Group& group, const Clock& clock, Start& start, Operation& operation, Nanoseconds most_time) {
    constexpr std::int64_t step = 10;
    constexpr std::int64_t most = 1'000;
    const auto longest_time = std::min(most_time, Nanoseconds{1'000'000'000});
    constexpr std::size_t window = 20;
    WarmUp result{.calls = 0, .stationary = false, .longest = {}};
    std::vector<std::int64_t> last;
    const auto begin = clock.now();
    // One call first: its time decides whether ten more are affordable.
    auto next = std::int64_t{1};
    while (true) {
        const auto times = times_of(group, clock, start, operation, result.calls, next);
        result.calls += next;
        last.insert(last.end(), times.begin(), times.end());
        if (last.size() > window) {
            last.erase(last.begin(), last.end() - window);
        }
        result.longest = {*std::max_element(last.begin(), last.end())};
        const std::vector<double> series(last.begin(), last.end());
        result.stationary = last.size() == window && stats::stationary(series);
        const auto elapsed = group.largest((clock.now() - begin).count);
        if (result.stationary || result.calls >= most || elapsed >= longest_time.count) {
            return result;
        }
        next = step;
    }
}

WarmUp warm_up_by(Group& group, const Clock& clock, Start& start, Operation& operation, std::int64_t calls) {
    WarmUp result{.calls = calls, .stationary = true, .longest = {}};
    if (calls > 0) {
        const auto times = times_of(group, clock, start, operation, 0, calls);
        result.longest = {*std::max_element(times.begin(), times.end())};
    }
    return result;
}

}  // namespace fathom::probe
