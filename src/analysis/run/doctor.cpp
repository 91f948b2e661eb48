#include "analysis/run/doctor.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "base/text.hpp"

namespace fathom::analysis {
namespace {

using store::WarningRow;

/// Few hosts by name, many by number.
std::string hosts_text(std::vector<std::string> hosts) {
    constexpr std::size_t most_named = 4;
    if (hosts.size() > most_named) {
        const auto others = hosts.size() - most_named + 1;
        hosts.resize(most_named - 1);
        hosts.push_back(fmt::format("{} more hosts", others));
    }
    return and_list(hosts);
}

std::string fact(const machine::Facts& facts, const std::string& key) {
    const auto found = facts.find(key);
    return found == facts.end() ? std::string() : found->second;
}

int number(const machine::Facts& facts, const std::string& key) {
    return std::atoi(fact(facts, key).c_str());
}

std::optional<WarningRow> check_governor(const HostState& host) {
    const auto governor = fact(host.facts, "governor");
    if (governor.empty() || governor == "performance") {
        return std::nullopt;
    }
    return WarningRow{
        store::Severity::serious, "governor",
        fmt::format("the CPU frequency governor is \"{}\", so times change with the load.", governor),
        "cpupower frequency-set -g performance (as root)"};
}

/// Processors of the host that its ranks may run on, all together; 0 if unknown.
int processors_of_ranks(const HostState& host) {
    std::set<int> allowed;
    for (const auto& rank : host.ranks) {
        allowed.merge(machine::processor_set(rank.binding));
    }
    return allowed.empty() ? number(host.facts, "processors") : static_cast<int>(allowed.size());
}

std::optional<WarningRow> check_oversubscription(const HostState& host) {
    const int on_host = number(host.facts, "processors");
    const int processors = processors_of_ranks(host);
    const auto ranks = static_cast<int>(host.ranks.size());
    if (processors == 0 || ranks <= processors) {
        return std::nullopt;
    }
    if (processors < on_host) {
        return WarningRow{
            store::Severity::serious, "oversubscription",
            fmt::format(
                "{} ranks may use only {} of {} processors (oversubscribed) and wait for each other's "
                "time slices.",
                ranks, processors, on_host),
            "give every rank a core of its own: by the launcher's binding, or in the batch system's request"};
    }
    return WarningRow{
        store::Severity::serious, "oversubscription",
        fmt::format("{} ranks share {} processors (oversubscribed) and wait for each other's time slices.",
                    ranks, processors),
        "use more hosts or fewer processes (-n); until then rely on trends, not on times"};
}

std::optional<WarningRow> check_binding(const HostState& host) {
    const int processors = number(host.facts, "processors");
    const auto unbound = std::count_if(host.ranks.begin(), host.ranks.end(), [&](const auto& rank) {
        return machine::processors_in(rank.binding) >= processors;
    });
    if (processors <= 1 || unbound == 0 || static_cast<int>(host.ranks.size()) > processors) {
        return std::nullopt;
    }
    return WarningRow{
        store::Severity::serious, "unbound",
        fmt::format("{} of {} ranks are not bound to a core and may move between them.", unbound,
                    host.ranks.size()),
        "bind in the launcher: --bind-to core (Open MPI), -bind-to core (MPICH), --cpu-bind=cores (srun)"};
}

std::optional<WarningRow> check_clock(const HostState& host) {
    constexpr std::array<const char*, 4> steady{"tsc", "arch_sys_counter", "kvm-clock",
                                                "hyperv_clocksource_tsc_page"};
    const auto source = fact(host.facts, "clocksource");
    if (source.empty() || std::find(steady.begin(), steady.end(), source) != steady.end()) {
        return std::nullopt;
    }
    return WarningRow{
        store::Severity::serious, "clock",
        fmt::format("the kernel's clock source is \"{}\", which is slow to read or unstable.", source),
        "boot with clocksource=tsc if the kernel log says why it was rejected"};
}

std::optional<WarningRow> check_build(const HostState& host) {
    if (host.build_type != "Debug") {
        return std::nullopt;
    }
    return WarningRow{store::Severity::serious, "debug-build",
                      "this is a debug build of fathom, which adds to every time.",
                      "./quickstart build (preset release)"};
}

std::optional<WarningRow> check_load(const HostState& host) {
    constexpr double busy_share = 0.25;
    const double load = std::atof(fact(host.facts, "load_1min").c_str());
    const int processors = number(host.facts, "processors");
    if (processors == 0 || load < busy_share * processors) {
        return std::nullopt;
    }
    return WarningRow{
        store::Severity::note, "load",
        fmt::format("the load average was {} on {} processors.", fact(host.facts, "load_1min"), processors),
        "wait until other programs have finished, or request the whole node from the batch system"};
}

std::optional<WarningRow> check_virtual(const HostState& host) {
    if (fact(host.facts, "virtual_machine").empty()) {
        return std::nullopt;
    }
    return WarningRow{store::Severity::note, "virtual",
                      "this is a virtual machine; the hypervisor may run other guests on its processors.",
                      "compare minima and medians, not means"};
}

}  // namespace

std::vector<WarningRow> diagnose(const std::vector<HostState>& hosts) {
    std::vector<WarningRow> found;
    for (const auto check : {check_governor, check_oversubscription, check_binding, check_clock, check_build,
                             check_load, check_virtual}) {
        for (const auto& host : hosts) {
            auto warning = check(host);
            if (!warning) {
                continue;
            }
            const auto same = std::find_if(found.begin(), found.end(), [&](const auto& known) {
                return known.code == warning->code && known.text == warning->text;
            });
            auto& finding = same == found.end() ? found.emplace_back(std::move(*warning)) : *same;
            finding.hosts.push_back(host.host);
        }
    }
    for (auto& finding : found) {
        finding.text = fmt::format("{}: {}", hosts_text(finding.hosts), finding.text);
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
        return a.severity == store::Severity::serious && b.severity != store::Severity::serious;
    });
    return found;
}

}  // namespace fathom::analysis
