#include "analysis/samples/disturbance.hpp"

#include <algorithm>
#include <ctime>
#include <map>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fathom::analysis {
namespace {

constexpr std::int64_t ns_per_second = 1'000'000'000;
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

/// `07:21:03.4`
std::string time_of_day(Nanoseconds utc) {
    const std::time_t seconds = utc.count / ns_per_second;
    return fmt::format("{:%H:%M:%S}.{}", fmt::gmtime(seconds),
                       utc.count % ns_per_second / (ns_per_second / 10));
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

std::string disturbance_text(const std::vector<DisturbedTime>& times,
                             const std::optional<store::Moment>& moment) {
    constexpr std::size_t most = 3;
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < std::min(most, times.size()); ++i) {
        const auto& time = times[i];
        const auto seconds = [](Nanoseconds span) {
            return static_cast<double>(span.count) / static_cast<double>(ns_per_second);
        };
        const auto when =
            moment ? fmt::format("from {} to {} UTC ({:.1f} to {:.1f} s into the job)",
                                 time_of_day(moment->utc + (time.begin - moment->clock)),
                                 time_of_day(moment->utc + (time.end - moment->clock)),
                                 seconds(time.begin - moment->clock), seconds(time.end - moment->clock))
                   : fmt::format("for {:.1f} s", seconds(time.end - time.begin));
        parts.push_back(fmt::format("{}, when rank {} was preempted for {:.0f} % of the time", when,
                                    time.rank, std::min(100.0, 100 * time.share)));
    }
    if (times.size() > most) {
        parts.push_back(fmt::format("{} more times", times.size() - most));
    }
    return fmt::format("the machine was disturbed {}", and_list(parts));
}

}  // namespace fathom::analysis
