#include "analysis/samples/disturbance.hpp"

#include <algorithm>
#include <map>

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

}  // namespace fathom::analysis
