#include "analysis/run/doctor.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <tuple>

namespace fathom::analysis {
namespace {

std::string fact(const machine::Facts& facts, const std::string& key) {
    const auto found = facts.find(key);
    return found == facts.end() ? std::string() : found->second;
}

int number(const machine::Facts& facts, const std::string& key) {
    return std::atoi(fact(facts, key).c_str());
}

HostTrouble trouble_of(TroubleKind kind, const std::string& setting = {}) {
    HostTrouble trouble;
    trouble.kind = kind;
    trouble.setting = setting;
    return trouble;
}

/// Processors of the host that its ranks may run on, all together; 0 if unknown.
int processors_of_ranks(const HostState& host) {
    std::set<int> allowed;
    for (const auto& rank : host.ranks) {
        allowed.merge(machine::processor_set(rank.binding));
    }
    return allowed.empty() ? number(host.facts, "processors") : static_cast<int>(allowed.size());
}

std::optional<HostTrouble> check_governor(const HostState& host) {
    const auto setting = fact(host.facts, "governor");
    return setting.empty() || setting == "performance"
               ? std::nullopt
               : std::optional(trouble_of(TroubleKind::governor, setting));
}

std::optional<HostTrouble> check_oversubscription(const HostState& host) {
    const int processors = processors_of_ranks(host);
    const auto ranks = static_cast<int>(host.ranks.size());
    if (processors == 0 || ranks <= processors) {
        return std::nullopt;
    }
    auto trouble = trouble_of(TroubleKind::oversubscription);
    trouble.ranks = ranks;
    trouble.processors = processors;
    trouble.host_processors = number(host.facts, "processors");
    return trouble;
}

std::optional<HostTrouble> check_binding(const HostState& host) {
    const int processors = number(host.facts, "processors");
    const auto loose = std::count_if(host.ranks.begin(), host.ranks.end(), [&](const auto& rank) {
        return machine::processors_in(rank.binding) >= processors;
    });
    if (processors <= 1 || loose == 0 || static_cast<int>(host.ranks.size()) > processors) {
        return std::nullopt;
    }
    auto trouble = trouble_of(TroubleKind::unbound);
    trouble.ranks = loose;
    trouble.all_ranks = static_cast<std::int64_t>(host.ranks.size());
    return trouble;
}

std::optional<HostTrouble> check_clock(const HostState& host) {
    constexpr std::array<const char*, 4> steady{"tsc", "arch_sys_counter", "kvm-clock",
                                                "hyperv_clocksource_tsc_page"};
    const auto source = fact(host.facts, "clocksource");
    return source.empty() || std::find(steady.begin(), steady.end(), source) != steady.end()
               ? std::nullopt
               : std::optional(trouble_of(TroubleKind::clock, source));
}

std::optional<HostTrouble> check_build(const HostState& host) {
    return host.build_type == "Debug" ? std::optional(trouble_of(TroubleKind::debug_build)) : std::nullopt;
}

std::optional<HostTrouble> check_load(const HostState& host) {
    constexpr double busy_share = 0.25;
    const auto average = fact(host.facts, "load_1min");
    const int processors = number(host.facts, "processors");
    if (processors == 0 || std::atof(average.c_str()) < busy_share * processors) {
        return std::nullopt;
    }
    auto trouble = trouble_of(TroubleKind::load, average);
    trouble.processors = processors;
    return trouble;
}

std::optional<HostTrouble> check_virtual(const HostState& host) {
    return fact(host.facts, "virtual_machine").empty()
               ? std::nullopt
               : std::optional(trouble_of(TroubleKind::virtual_machine));
}

std::optional<HostTrouble> check_leftovers(const HostState& host) {
    if (host.leftovers.empty()) {
        return std::nullopt;
    }
    auto trouble = trouble_of(TroubleKind::leftovers);
    for (const auto& leftover : host.leftovers) {
        ++(leftover.kind == machine::LeftoverKind::segment ? trouble.segments : trouble.session_folders);
        trouble.size.count += leftover.size.count;
    }
    trouble.example = host.leftovers.front().path.string();
    return trouble;
}

}  // namespace

store::Severity HostTrouble::severity() const {
    // Launchers that do not bind (MPICH's) do not bind a user's program either.
    return kind == TroubleKind::unbound || kind == TroubleKind::load ||
                   kind == TroubleKind::virtual_machine || kind == TroubleKind::leftovers
               ? store::Severity::note
               : store::Severity::serious;
}

bool HostTrouble::same_as(const HostTrouble& other) const {
    const auto all_but_hosts = [](const HostTrouble& trouble) {
        return std::tie(trouble.kind, trouble.setting, trouble.ranks, trouble.all_ranks, trouble.processors,
                        trouble.host_processors, trouble.segments, trouble.session_folders, trouble.size,
                        trouble.example);
    };
    return all_but_hosts(*this) == all_but_hosts(other);
}

std::vector<HostTrouble> diagnose(const std::vector<HostState>& hosts) {
    std::vector<HostTrouble> found;
    for (const auto check : {check_governor, check_oversubscription, check_binding, check_clock, check_build,
                             check_load, check_virtual, check_leftovers}) {
        for (const auto& host : hosts) {
            auto trouble = check(host);
            if (!trouble) {
                continue;
            }
            const auto same = std::find_if(found.begin(), found.end(),
                                           [&](const auto& known) { return known.same_as(*trouble); });
            auto& finding = same == found.end() ? found.emplace_back(std::move(*trouble)) : *same;
            finding.hosts.push_back(host.host);
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
        return a.severity() == store::Severity::serious && b.severity() != store::Severity::serious;
    });
    return found;
}

}  // namespace fathom::analysis
