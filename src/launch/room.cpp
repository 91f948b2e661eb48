#include "launch/room.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/text.hpp"
#include "machine/facts.hpp"
#include "machine/host_cores.hpp"

namespace fathom::launch {

bool Room::crowded() const {
    return std::any_of(hosts.begin(), hosts.end(), [](const auto& host) { return host.ranks > host.cores; });
}

bool Room::has_cores_for_progress() const {
    return std::all_of(hosts.begin(), hosts.end(),
                       [](const auto& host) { return 2 * host.ranks <= host.cores; });
}

Room room_here(int procs) {
    return {.hosts = {{.host = machine::host_name(), .ranks = procs, .cores = machine::usable_cores()}}};
}

std::optional<Room> room_from(std::string_view output, int procs) {
    Room room;
    int ranks = 0;
    for (const auto& line : split(std::string(output), '\n')) {
        const auto found = machine::read_cores_line(line);
        if (!found) {
            continue;
        }
        ++ranks;
        auto host = std::find_if(room.hosts.begin(), room.hosts.end(),
                                 [&](const auto& known) { return known.host == found->host; });
        if (host == room.hosts.end()) {
            host = room.hosts.insert(host, {.host = found->host});
        }
        host->ranks += 1;
        host->cores = std::max(host->cores, found->cores);
    }
    return ranks == procs ? std::optional(room) : std::nullopt;
}

std::string_view sign_of_other_hosts() {
    constexpr auto variables = std::to_array<const char*>({
        "SLURM_JOB_ID", "PBS_NODEFILE", "LSB_JOBID", "PE_HOSTFILE", "FLUX_URI",  // batch systems
        "OMPI_MCA_orte_default_hostfile", "PRTE_MCA_prte_default_hostfile",      // Open MPI 4 and 5
        "HYDRA_HOST_FILE",                                                       // MPICH
    });
    const auto* const found =
        std::ranges::find_if(variables, [](const char* name) { return std::getenv(name) != nullptr; });
    return found == variables.end() ? std::string_view() : *found;
}

}  // namespace fathom::launch
