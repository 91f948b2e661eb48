#include "analysis/across_runs/measured_run.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "analysis/run/run_kind.hpp"

namespace fathom::analysis {

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
            found.times[samples.point.key] = samples.counted;
            if (wanted.visit) {
                wanted.visit(samples);
            }
        };
    }
    found.result = evaluate(store, run, {}, all);
    found.ranks = store.ranks(run.id);
    found.environment = store.environment(run.id);
    found.file = std::filesystem::weakly_canonical(store.path()).string();
    found.launch_jobs = launch_jobs_of(store, run.id);
    for (const auto& rank : found.ranks) {
        ++found.hosts[rank.host];
    }
    return found;
}

std::vector<std::string> names_of(const std::vector<RunPlace>& places) {
    const bool one_file =
        std::ranges::all_of(places, [&](const auto& each) { return each.file == places.front().file; });
    std::vector<std::string> names;
    for (const auto& [file, run, label] : places) {
        const auto number = one_file ? fmt::format("run {}", run) : fmt::format("{} run {}", file, run);
        names.push_back(label.empty() ? number : fmt::format("{} ({})", label, number));
    }
    return names;
}

}  // namespace fathom::analysis
