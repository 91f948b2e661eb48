#include "analysis/samples/disturbance.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/samples/coincidence.hpp"

namespace fathom::analysis {
namespace {

/// Between two series the ranks talk to each other: that is no end of a disturbance.
constexpr Nanoseconds gap{100'000'000};

struct LostStretch {
    Nanoseconds begin;
    Nanoseconds end;
    std::map<int, Nanoseconds> waited;  // by rank
};

std::vector<LostStretch> merged(std::vector<LostStretch> stretches) {
    std::sort(stretches.begin(), stretches.end(),
              [](const auto& a, const auto& b) { return a.begin < b.begin; });
    std::vector<LostStretch> found;
    for (auto& next : stretches) {
        if (found.empty() || next.begin > found.back().end + gap) {
            found.push_back(std::move(next));
            continue;
        }
        auto& last = found.back();
        last.end = std::max(last.end, next.end);
        for (const auto& [rank, waited] : next.waited) {
            last.waited[rank] = last.waited[rank] + waited;
        }
    }
    return found;
}

}  // namespace

std::vector<DisturbedTime> disturbed_times(std::span<const journal::Disturbance> noticed,
                                           const GlobalTime& clock) {
    constexpr Nanoseconds least_waited{5'000'000};
    constexpr double least_share = 0.02;
    std::vector<LostStretch> stretches;
    for (const auto& stretch : noticed) {
        stretches.push_back({.begin = clock.global(stretch.rank, {stretch.begin_ns}),
                             .end = clock.global(stretch.rank, {stretch.end_ns}),
                             .waited = {{stretch.rank, {stretch.waited_ns}}}});
    }
    std::vector<DisturbedTime> found;
    for (const auto& stretch : merged(std::move(stretches))) {
        const auto worst = std::max_element(stretch.waited.begin(), stretch.waited.end(),
                                            [](const auto& a, const auto& b) { return a.second < b.second; });
        const auto length =
            static_cast<double>(std::max<std::int64_t>(1, (stretch.end - stretch.begin).count));
        const double share = static_cast<double>(worst->second.count) / length;
        if (worst->second >= least_waited && share >= least_share) {
            found.push_back(
                {.begin = stretch.begin, .end = stretch.end, .rank = worst->first, .share = share});
        }
    }
    return found;
}

std::vector<bool> disturbed_repetitions(const Repetitions& repetitions, const Evidence& evidence,
                                        const std::vector<Stretch>& disturbed) {
    std::vector<bool> found(repetitions.times.size());
    const auto mark = [&](std::size_t first, std::size_t end) {
        std::fill(found.begin() + static_cast<std::ptrdiff_t>(first),
                  found.begin() + static_cast<std::ptrdiff_t>(end), true);
    };
    std::set<int> launches;
    for (const auto& stretch : disturbed) {
        launches.insert(stretch.start);
    }
    if (repetitions.when.size() != repetitions.times.size()) {
        if (repetitions.begins.empty() && !launches.empty()) {
            mark(0, found.size());
            return found;
        }
        for (const auto launch : launches) {
            const auto next = static_cast<std::size_t>(launch) + 1;
            const auto& begins = repetitions.begins;
            mark(begins[next - 1], next < begins.size() ? begins[next] : found.size());
        }
        return found;
    }
    const RepetitionsInTime in_time(repetitions);
    const auto mark_during = [&](const Stretch& stretch) {
        const auto range = in_time.during(stretch);
        if (!range.empty()) {
            mark(range.first, range.end);
        }
    };
    if (evidence.counted) {
        for (const auto& window : evidence.windows) {
            const bool preempted = window.counts.preempted > 0 || window.counts.waited_ns > 0;
            if (preempted && launches.contains(window.when.start)) {
                mark_during(window.when);
            }
        }
    } else {
        std::for_each(disturbed.begin(), disturbed.end(), mark_during);
    }
    return found;
}

}  // namespace fathom::analysis
