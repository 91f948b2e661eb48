#include "launch/host_warnings.hpp"

#include <algorithm>

#include "analysis/run/doctor.hpp"
#include "report/sentences/doctor.hpp"

namespace fathom::launch {
namespace {

std::vector<analysis::HostState> states_of_hosts(const store::Store& store, std::int64_t run) {
    const auto environment = store.environment(run);
    const auto ranks = store.ranks(run);
    const auto job = environment.find("");
    std::vector<analysis::HostState> hosts;
    for (const auto& [host, facts] : environment) {
        if (host.empty() || facts.contains("simulated")) {
            continue;
        }
        auto& state = hosts.emplace_back(analysis::HostState{host, facts, {}, ""});
        if (job != environment.end() && job->second.contains("build_type")) {
            state.build_type = job->second.at("build_type");
        }
        for (const auto& rank : ranks) {
            if (rank.host == host) {
                state.ranks.push_back({rank.rank, rank.binding});
            }
        }
    }
    return hosts;
}

}  // namespace

std::vector<store::WarningRow> warn_of_hosts(store::Store& store, std::int64_t run) {
    // Another launch of the run finds the same again, at most with other figures.
    const auto known = store.warnings(run);
    std::vector<store::WarningRow> fresh;
    for (const auto& trouble : analysis::diagnose(states_of_hosts(store, run))) {
        const auto finding = report::warning_of(trouble);
        const bool reported = std::any_of(known.begin(), known.end(), [&](const auto& other) {
            return other.code == finding.code && other.hosts == finding.hosts;
        });
        if (!reported) {
            store.put_warning(run, finding);
            fresh.push_back(finding);
        }
    }
    return fresh;
}

}  // namespace fathom::launch
