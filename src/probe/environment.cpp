#include "probe/environment.hpp"

#include <array>
#include <set>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/build_info.hpp"
#include "machine/facts.hpp"
#include "probe/mpi/flavour.hpp"

namespace fathom::probe {
namespace {

using nlohmann::json;

/// Variables that steer MPI libraries and their transports.
constexpr std::array<std::string_view, 11> mpi_variables{"OMPI_MCA_", "MPICH_", "MPIR_CVAR_",     "UCX_",
                                                         "FI_",       "I_MPI_", "MV2_",           "PSM2_",
                                                         "PMIX_MCA_", "SMPI_",  "OMP_NUM_THREADS"};

std::map<std::string, std::string> job_facts() {
    const auto& build = build_info();
    std::map<std::string, std::string> facts{{"fathom_version", build.version},
                                             {"fathom_commit", build.commit},
                                             {"compiler", build.compiler},
                                             {"flags", build.flags},
                                             {"build_type", build.build_type}};
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view entry(*variable);
        for (const auto prefix : mpi_variables) {
            if (entry.starts_with(prefix)) {
                const auto equals = entry.find('=');
                facts[fmt::format("env.{}", entry.substr(0, equals))] = entry.substr(equals + 1);
            }
        }
    }
    return facts;
}

journal::RankInfo this_rank(int rank) {
    return {.rank = rank,
            .host = mpi::processor_name(),
            .pid = ::getpid(),
            .binding = mpi::simulated ? std::string() : machine::binding()};
}

/// Simulated hosts have no hardware of their own to describe.
machine::Facts this_host(const mpi::LocalClock& clock) {
    auto facts = mpi::simulated ? machine::Facts{{"simulated", "yes"}} : machine::collect_facts();
    for (const auto& [source, description] : clock.described) {
        facts["clock." + source] = description;
    }
    return facts;
}

}  // namespace

void record_environment(Group& world, const mpi::LocalClock& clock, const std::string& plan_toml,
                        journal::Writer* journal) {
    if (world.rank() != 0) {
        const auto info = this_rank(world.rank());
        world.send(0, json{{"host", info.host}, {"pid", info.pid}, {"binding", info.binding}}.dump());
        if (world.receive(0) == "host") {
            world.send(0, json(this_host(clock)).dump());
        }
        return;
    }
    journal->write(journal::JobInfo{.procs = world.size(),
                                    .simulated = mpi::simulated,
                                    .mpi_flavour = std::string(mpi::flavour),
                                    .mpi_version = mpi::library_version(),
                                    .mpi_standard = mpi::standard_version(),
                                    .time_source = std::string(clock.clock->name()),
                                    .plan_toml = plan_toml,
                                    .facts = job_facts()});
    const auto own = this_rank(0);
    journal->write(own);
    journal->write(journal::HostInfo{own.host, this_host(clock)});
    std::set<std::string> known{own.host};
    for (int rank = 1; rank < world.size(); ++rank) {
        const auto words = json::parse(world.receive(rank));
        const journal::RankInfo info{rank, words["host"], words["pid"], words["binding"]};
        journal->write(info);
        const bool is_new = known.insert(info.host).second;
        world.send(rank, is_new ? "host" : "known");
        if (is_new) {
            journal->write(journal::HostInfo{info.host, json::parse(world.receive(rank))});
        }
    }
}

}  // namespace fathom::probe
