#include "analysis/across_runs/run_differences.hpp"

#include <algorithm>
#include <set>

#include "analysis/run/run_kind.hpp"
#include "base/text.hpp"
#include "plan/settings.hpp"

namespace fathom::analysis {
namespace {

using Kind = DifferenceKind;

std::vector<std::string> known(const std::string& value) {
    return value.empty() ? std::vector<std::string>{} : std::vector{value};
}

/// Collects what differs.
class Look {
  public:
    Look(const MeasuredRun& first, const MeasuredRun& second) : first_(first), second_(second) {}

    void at(Kind kind, const std::string& one, const std::string& other) {
        if (one != other) {
            found.push_back({.kind = kind, .first = known(one), .second = known(other)});
        }
    }

    void at_hosts() {
        Difference difference{.kind = Kind::hosts,
                              .first_hosts = not_alike(first_, second_),
                              .second_hosts = not_alike(second_, first_)};
        difference.hosts_known = !first_.hosts.empty() && !second_.hosts.empty();
        found.push_back(std::move(difference));
    }

    /// The first rank that is elsewhere, or bound to other processors.
    void at_places() {
        const auto at = std::mismatch(
            first_.ranks.begin(), first_.ranks.end(), second_.ranks.begin(), second_.ranks.end(),
            [](const auto& a, const auto& b) { return a.host == b.host && a.binding == b.binding; });
        if (at.first == first_.ranks.end() || at.second == second_.ranks.end()) {
            return;
        }
        const bool elsewhere = at.first->host != at.second->host;
        this->at(elsewhere ? Kind::placement : Kind::binding, elsewhere ? at.first->host : at.first->binding,
                 elsewhere ? at.second->host : at.second->binding);
        found.back().rank = at.first->rank;
    }

    /// A fact of hosts, where both runs know it: which values it has on any of them.
    void at_fact(Kind kind, const std::string& fact) {
        auto one = values_of_hosts(first_, fact);
        auto other = values_of_hosts(second_, fact);
        if (!one.empty() && !other.empty() && one != other) {
            found.push_back({.kind = kind, .first = std::move(one), .second = std::move(other)});
        }
    }

    void at_variables() {
        const auto one = variables_of(first_.environment);
        const auto other = variables_of(second_.environment);
        std::set<std::string> names;
        for (const auto* variables : {&one, &other}) {
            for (const auto& [name, value] : *variables) {
                names.insert(name);
            }
        }
        const auto value_in = [](const auto& variables, const std::string& name) {
            const auto set = variables.find(name);
            return set == variables.end() ? std::vector<std::string>{} : std::vector{set->second};
        };
        for (const auto& name : names) {
            if (value_in(one, name) != value_in(other, name)) {
                found.push_back({.kind = Kind::variable,
                                 .name = name,
                                 .first = value_in(one, name),
                                 .second = value_in(other, name)});
            }
        }
    }

    void at_setting(const plan::Setting& setting) {
        const auto value = [&](const plan::Plan& plan) {
            return setting.absent(plan) ? std::vector<std::string>{}
                                        : std::vector{plan::quoted(setting.get(plan))};
        };
        const auto one = value(first_.result.plan);
        const auto other = value(second_.result.plan);
        if (one != other) {
            found.push_back(
                {.kind = Kind::setting, .name = std::string(setting.key), .first = one, .second = other});
        }
    }

    std::vector<Difference> found;

  private:
    /// The hosts that the other run does not have, or with another number of processes.
    static std::map<std::string, int> not_alike(const MeasuredRun& run, const MeasuredRun& other) {
        std::map<std::string, int> found;
        for (const auto& [host, ranks] : run.hosts) {
            const auto same = other.hosts.find(host);
            if (same == other.hosts.end() || same->second != ranks) {
                found[host] = ranks;
            }
        }
        return found;
    }

    static std::vector<std::string> values_of_hosts(const MeasuredRun& run, const std::string& fact) {
        std::set<std::string> values;
        for (const auto& [host, facts] : run.environment) {
            if (const auto value = facts.find(fact); !host.empty() && value != facts.end()) {
                values.insert(value->second);
            }
        }
        return {values.begin(), values.end()};
    }

    const MeasuredRun& first_;
    const MeasuredRun& second_;
};

}  // namespace

std::vector<Difference> differences(const MeasuredRun& first, const MeasuredRun& second) {
    Look look(first, second);
    const auto& a = first.result.run;
    const auto& b = second.result.run;
    if (library_of(a) != library_of(b)) {
        look.at(Kind::library, library_of(a), library_of(b));
    } else {
        look.at(Kind::library, a.mpi_version, b.mpi_version);
    }
    look.at(Kind::machine, a.simulated ? "simulated" : "real", b.simulated ? "simulated" : "real");
    look.at(Kind::platform, first.result.plan.platform, second.result.plan.platform);
    if (first.hosts != second.hosts) {
        look.at_hosts();
    } else {
        look.at_places();
    }
    look.at_fact(Kind::kernel, "kernel");
    look.at_fact(Kind::processor, "cpu_model");
    look.at_fact(Kind::governor, "governor");
    look.at(Kind::clock_source, a.time_source, b.time_source);
    look.at(Kind::fathom_version, a.fathom_version, b.fathom_version);
    look.at_variables();
    for (const auto& setting : plan::settings()) {
        if (setting.if_different == plan::IfDifferent::not_comparable) {
            look.at_setting(setting);
        }
    }
    return std::move(look.found);
}

}  // namespace fathom::analysis
