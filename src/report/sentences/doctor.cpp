#include "report/sentences/doctor.hpp"

#include <fmt/format.h>

#include "base/named_enum.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace fathom::report {
namespace {

using analysis::HostTrouble;
using analysis::TroubleKind;

/// Few hosts by name, many by number.
std::string hosts_in_short(std::vector<std::string> hosts) {
    constexpr std::size_t most_named = 4;
    if (hosts.size() > most_named) {
        const auto others = hosts.size() - most_named + 1;
        hosts.resize(most_named - 1);
        hosts.push_back(fmt::format("{} more hosts", others));
    }
    return and_list(hosts);
}

std::string trouble_text(const HostTrouble& trouble) {
    switch (trouble.kind) {
        case TroubleKind::governor:
            return fmt::format("the CPU frequency governor is \"{}\", so times change with the load.",
                               trouble.setting);
        case TroubleKind::oversubscription:
            if (trouble.processors < trouble.host_processors) {
                return fmt::format(
                    "{} ranks may use only {} of {} processors (oversubscribed) and wait for each other's "
                    "time slices.",
                    trouble.ranks, trouble.processors, trouble.host_processors);
            }
            return fmt::format(
                "{} ranks share {} processors (oversubscribed) and wait for each other's time slices.",
                trouble.ranks, trouble.processors);
        case TroubleKind::unbound:
            return fmt::format("{} of {} ranks are not bound to a core and may move between them.",
                               trouble.ranks, trouble.all_ranks);
        case TroubleKind::clock:
            return fmt::format("the kernel's clock source is \"{}\", which is slow to read or unstable.",
                               trouble.setting);
        case TroubleKind::debug_build:
            return "this is a debug build of fathom, which adds to every time.";
        case TroubleKind::load:
            return fmt::format("the load average was {} on {} processors.", trouble.setting,
                               trouble.processors);
        case TroubleKind::virtual_machine:
            return "this is a virtual machine; the hypervisor may run other guests on its processors.";
        case TroubleKind::leftovers:
            return fmt::format("killed MPI jobs left {} behind ({}), such as {}.",
                               leftovers_text(trouble.segments, trouble.session_folders),
                               to_text(trouble.size), trouble.example);
    }
    return {};
}

std::string remedy_of(const HostTrouble& trouble) {
    switch (trouble.kind) {
        case TroubleKind::governor:
            return "cpupower frequency-set -g performance (as root)";
        case TroubleKind::oversubscription:
            if (trouble.processors < trouble.host_processors) {
                return "give every rank a core of its own: by the launcher's binding, or in the batch "
                       "system's request";
            }
            return "use more hosts or fewer processes (-n); until then rely on trends, not on times";
        case TroubleKind::unbound:
            return "--bind core; with --launcher, in the template: --bind-to core (Open MPI), -bind-to core "
                   "(MPICH), "
                   "--cpu-bind=cores (srun)";
        case TroubleKind::clock:
            return "boot with clocksource=tsc if the kernel log says why it was rejected";
        case TroubleKind::debug_build:
            return "./quickstart build (preset release)";
        case TroubleKind::load:
            return "wait until other programs have finished, or request the whole node from the batch "
                   "system";
        case TroubleKind::virtual_machine:
            return "compare minima and medians, not means";
        case TroubleKind::leftovers:
            return "fathom doctor --clean";
    }
    return {};
}

}  // namespace

std::string leftovers_text(std::int64_t segments, std::int64_t session_folders) {
    std::vector<std::string> parts;
    if (segments > 0) {
        parts.push_back(fmt::format("{} shared-memory {}", segments, segments == 1 ? "segment" : "segments"));
    }
    if (session_folders > 0) {
        parts.push_back(
            fmt::format("{} session {}", session_folders, session_folders == 1 ? "folder" : "folders"));
    }
    return and_list(parts);
}

store::WarningRow warning_of(const HostTrouble& trouble) {
    return {.severity = trouble.severity(),
            .code = std::string(to_text(trouble.kind)),
            .text = fmt::format("{}: {}", hosts_in_short(trouble.hosts), trouble_text(trouble)),
            .remedy = remedy_of(trouble),
            .hosts = trouble.hosts};
}

}  // namespace fathom::report
