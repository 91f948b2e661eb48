#include "cli/model_sources.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "cli/stored_run.hpp"

namespace fathom::cli {

SourceRuns source_runs(const std::vector<std::string>& from, const std::string& db, bool quiet) {
    SourceRuns runs;
    if (from.empty()) {
        return runs;
    }
    runs.references = find_runs(from, db);
    for (const auto& reference : runs.references) {
        runs.results.push_back(whole_run(reference.store, reference.run, {.quiet = quiet}));
    }
    for (std::size_t i = 0; i < runs.results.size(); ++i) {
        tune::SourceRun source{.result = &runs.results[i]};
        for (const auto& rank : runs.references[i].store.ranks(runs.references[i].run.id)) {
            source.hosts.push_back(rank.host);
        }
        runs.sources.push_back(std::move(source));
    }
    return runs;
}

tune::Network network_from(const tune::MeasuredParameters& found, int hosts, const std::string& given) {
    if (!found.between && (hosts > 1 || !found.inside)) {
        throw BadInput(
            fmt::format("the runs of --from have no ping-pong between hosts at two sizes or more; measure "
                        "'pingpong' or 'matrix' too{}.",
                        given));
    }
    tune::Network network;
    network.between = found.between ? *found.between : *found.inside;
    network.inside = found.inside ? *found.inside : network.between;
    network.reduce_ns_per_byte = found.reduce_ns_per_byte.value_or(0);
    return network;
}

}  // namespace fathom::cli
