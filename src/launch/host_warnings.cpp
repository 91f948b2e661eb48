#include "launch/host_warnings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/run/doctor.hpp"
#include "base/text.hpp"
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

/// A misspelt parameter is read by nobody, and its values then seem to make no difference.
std::vector<store::WarningRow> of_unknown_parameters(const store::EnvironmentRows& environment) {
    std::vector<store::WarningRow> found;
    const auto job = environment.find("");
    if (job == environment.end() || !job->second.contains(journal::unknown_parameters_fact)) {
        return found;
    }
    for (const auto& variable : split(job->second.at(journal::unknown_parameters_fact), ' ')) {
        found.push_back({.severity = store::Severity::serious,
                         .code = "unknown-parameter",
                         .text = fmt::format("the MPI library has no parameter that {} sets, at least not in "
                                             "the parts that it uses here: its values make no difference.",
                                             variable),
                         .remedy =
                             "check its name: 'ompi_info --all' lists those of Open MPI, 'mpichversion' "
                             "and its documentation those of MPICH"});
    }
    return found;
}

}  // namespace

std::vector<store::WarningRow> warn_of_hosts(store::Store& store, std::int64_t run) {
    // Another launch of the run finds the same again, at most with other figures.
    const auto known = store.warnings(run);
    std::vector<store::WarningRow> fresh;
    const auto put = [&](const store::WarningRow& finding, bool reported) {
        if (!reported) {
            store.put_warning(run, finding);
            fresh.push_back(finding);
        }
    };
    for (const auto& trouble : analysis::diagnose(states_of_hosts(store, run))) {
        const auto finding = report::warning_of(trouble);
        put(finding, std::any_of(known.begin(), known.end(), [&](const auto& other) {
                return other.code == finding.code && other.hosts == finding.hosts;
            }));
    }
    for (const auto& finding : of_unknown_parameters(store.environment(run))) {
        put(finding, std::find(known.begin(), known.end(), finding) != known.end());
    }
    return fresh;
}

}  // namespace fathom::launch
