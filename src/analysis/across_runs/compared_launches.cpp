#include "analysis/across_runs/compared_launches.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/point/distribution.hpp"
#include "stats/mean.hpp"
#include "stats/student.hpp"

namespace fathom::analysis {
namespace {

/// How many repetitions a launch has, disturbed or not.
std::size_t all_of(const LaunchTimes& launch) {
    return launch.times.size() + (launch.among ? 0 : launch.disturbed);
}

/// Which share of a launch's repetitions were disturbed. Every launch counts the same, however many
/// repetitions it had time for. Without those that are not sound.
std::vector<double> disturbed_shares(const std::vector<LaunchTimes>& launches) {
    std::vector<double> shares;
    for (const auto& launch : launches) {
        if (launch.sound && !launch.times.empty()) {
            shares.push_back(static_cast<double>(launch.disturbed) / static_cast<double>(all_of(launch)));
        }
    }
    return shares;
}

/// By how much the second share is larger, as the low end of its 95 % interval: what launches differ by is
/// chance. Of single launches that is not known, and all of the difference counts.
double larger_by(const std::vector<double>& first, const std::vector<double>& second) {
    if (first.empty() || second.empty()) {
        return 0;
    }
    const auto error = [](const std::vector<double>& shares) {
        return stats::variance(shares) / static_cast<double>(shares.size());
    };
    const double chance = stats::normal_factor * std::sqrt(error(first) + error(second));
    return std::max(0.0, stats::mean(second) - stats::mean(first) - chance);
}

/// How many of a launch's disturbed repetitions may have taken anything, where that is this part of them.
std::size_t part_of(const LaunchTimes& launch, double part) {
    return launch.sound ? static_cast<std::size_t>(std::ceil(part * static_cast<double>(launch.disturbed)))
                        : launch.disturbed;
}

stats::RunSample sample_of(const std::vector<LaunchTimes>& launches, const std::vector<LaunchTimes>& other,
                           bool simulated) {
    const auto shares = disturbed_shares(launches);
    const double beyond = larger_by(disturbed_shares(other), shares);
    const double part = beyond > 0 ? beyond / stats::mean(shares) : 0;
    stats::RunSample sample;
    for (const auto& launch : launches) {
        sample.launches.emplace_back(launch.times, simulated ? 0 : longest_tick_ns, part_of(launch, part),
                                     launch.among);
    }
    return sample;
}

}  // namespace

ComparedLaunches compared_launches(const std::vector<LaunchTimes>& first, bool first_simulated,
                                   const std::vector<LaunchTimes>& second, bool second_simulated) {
    return {.first = sample_of(first, second, first_simulated),
            .second = sample_of(second, first, second_simulated)};
}

std::size_t launches_dropped_beyond(const LaunchCounts& own, const LaunchCounts& other) {
    const auto measured = [](const LaunchCounts& counts) {
        return static_cast<double>(std::max<std::size_t>(1, counts.used + counts.set_aside));
    };
    const auto share = [&](const LaunchCounts& counts) {
        return static_cast<double>(counts.set_aside) / measured(counts);
    };
    const auto error = [&](const LaunchCounts& counts) {
        return share(counts) * (1 - share(counts)) / measured(counts);
    };
    const double beyond =
        share(own) - share(other) - stats::normal_factor * std::sqrt(error(own) + error(other));
    return beyond > 0 ? static_cast<std::size_t>(std::ceil(beyond * measured(own))) : 0;
}

double share_disturbed(const std::vector<LaunchTimes>& launches) {
    std::size_t all = 0;
    for (const auto& launch : launches) {
        all += all_of(launch);
    }
    return all > 0 ? static_cast<double>(count_disturbed(launches)) / static_cast<double>(all) : 0;
}

std::size_t count_disturbed(const std::vector<LaunchTimes>& launches) {
    std::size_t reps = 0;
    for (const auto& launch : launches) {
        reps += launch.disturbed;
    }
    return reps;
}

}  // namespace fathom::analysis
