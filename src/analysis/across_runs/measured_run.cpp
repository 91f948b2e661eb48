#include "analysis/across_runs/measured_run.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "analysis/samples/disturbance.hpp"

namespace fathom::analysis {
namespace {

std::vector<LaunchTimes> by_launch(const PointSamples& samples) {
    const auto& times = samples.repetitions.times;
    const auto& begins = samples.repetitions.begins;
    const auto disturbed = disturbed_repetitions(samples.repetitions, samples.evidence, samples.disturbed);
    std::vector<LaunchTimes> launches;
    for (std::size_t i = 0; i < begins.size(); ++i) {
        const auto end = i + 1 < begins.size() ? begins[i + 1] : times.size();
        LaunchTimes launch;
        for (auto rep = begins[i]; rep < end; ++rep) {
            if (disturbed[rep]) {
                ++launch.disturbed;
            } else {
                launch.times.push_back(times[rep]);
            }
        }
        if (launch.times.empty()) {
            launch.times.assign(times.begin() + static_cast<std::ptrdiff_t>(begins[i]),
                                times.begin() + static_cast<std::ptrdiff_t>(end));
        }
        if (!launch.times.empty()) {
            launches.push_back(std::move(launch));
        }
    }
    return launches;
}

}  // namespace

std::set<int> procs_of(const MeasuredRun& run) {
    std::set<int> procs;
    for (const auto& point : run.result.points) {
        procs.insert(point.key.procs);
    }
    return procs;
}

std::string library_of(const store::RunRow& run) {
    // "MPICH Version: 4.0.2; ABI ..." and "SMPI Version 3.32. Copyright ...": the head says what it is.
    auto version = run.mpi_version.substr(0, run.mpi_version.find_first_of(",;\n"));
    version = version.substr(0, version.find(". Copyright"));
    for (const std::string_view word : {" Version: ", " Version "}) {
        if (const auto at = version.find(word); at != std::string::npos) {
            version.replace(at, word.size(), " ");
        }
    }
    return version.empty() ? run.mpi_flavour : version;
}

MeasuredRun measured_run(const store::Store& store, const store::RunRow& run, std::string name,
                         bool with_times, const Wanted& wanted) {
    MeasuredRun found;
    found.name = std::move(name);
    auto all = wanted;
    if (with_times) {
        all.visit = [&](const PointSamples& samples) {
            found.times[samples.point.key] = by_launch(samples);
            if (wanted.visit) {
                wanted.visit(samples);
            }
        };
    }
    found.result = evaluate(store, run, {}, all);
    found.ranks = store.ranks(run.id);
    found.environment = store.environment(run.id);
    for (const auto& rank : found.ranks) {
        ++found.hosts[rank.host];
    }
    return found;
}

std::vector<std::string> names_of(const std::vector<std::pair<std::string, std::int64_t>>& files_and_runs) {
    const bool one_file = std::all_of(files_and_runs.begin(), files_and_runs.end(), [&](const auto& each) {
        return each.first == files_and_runs.front().first;
    });
    std::vector<std::string> names;
    for (const auto& [file, run] : files_and_runs) {
        names.push_back(one_file ? fmt::format("run {}", run) : fmt::format("{} run {}", file, run));
    }
    return names;
}

}  // namespace fathom::analysis
