#include "analysis/run/doctor.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <unistd.h>

#include <fmt/format.h>

#include "base/build_info.hpp"
#include "base/named_enum.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"
#include "cli/command_line.hpp"
#include "journal/json.hpp"
#include "launch/flavours.hpp"
#include "machine/facts.hpp"
#include "machine/leftovers.hpp"
#include "report/json.hpp"
#include "report/output.hpp"
#include "report/paragraph.hpp"
#include "report/sentences/doctor.hpp"
#include "report/style.hpp"
#include "report/table.hpp"

namespace fathom::cli {
namespace {

struct DoctorOptions {
    int procs = 0;
    bool json = false;
    bool clean = false;
    bool strict = false;
};

using Leftovers = std::vector<machine::Leftover>;

/// Removes what killed MPI jobs left behind; returns what was removed.
Leftovers clean(const machine::LeftoverPlaces& places) {
    auto found = machine::find_leftovers(places);
    std::erase_if(found, [&](const auto& leftover) { return !machine::remove_leftover(leftover, places); });
    return found;
}

std::string removed_text(const Leftovers& removed) {
    if (removed.empty()) {
        return "\nNothing to remove: no killed MPI job left anything behind.\n";
    }
    constexpr std::size_t most = 20;  // a screen; --json has all
    std::int64_t segments = 0;
    Bytes size;
    std::string paths;
    for (std::size_t i = 0; i < removed.size(); ++i) {
        segments += removed[i].kind == machine::LeftoverKind::segment ? 1 : 0;
        size.count += removed[i].size.count;
        paths += i < most ? fmt::format("  {}\n", printable(removed[i].path.string())) : "";
    }
    return fmt::format("\nRemoved {} ({}) that killed MPI jobs left behind:\n{}{}",
                       report::leftovers_text(segments, std::ssize(removed) - segments), to_text(size), paths,
                       removed.size() > most ? fmt::format("  and {} more\n", removed.size() - most) : "");
}

nlohmann::ordered_json leftovers_json(const Leftovers& leftovers) {
    auto json = nlohmann::ordered_json::array();
    for (const auto& leftover : leftovers) {
        json.push_back({{"kind", leftover.kind},
                        {"path", leftover.path.string()},
                        {"library", leftover.library},
                        {"size_bytes", leftover.size.count}});
    }
    return json;
}

std::vector<store::WarningRow> examine(const DoctorOptions& options, const analysis::HostState& host) {
    auto state = host;
    // How processes would be placed: each bound to a processor of its own as long as there are some.
    const auto found = host.facts.find("processors");
    const int processors = std::max(1, found == host.facts.end() ? 1 : std::atoi(found->second.c_str()));
    for (int rank = 0; rank < options.procs; ++rank) {
        state.ranks.push_back({rank, fmt::format("{}", rank % processors)});
    }
    std::vector<store::WarningRow> warnings;
    for (const auto& trouble : analysis::diagnose({state})) {
        warnings.push_back(report::warning_of(trouble));
    }
    return warnings;
}

/// Whether something can be done about it: nobody makes a machine of a virtual one.
bool is_warning(const store::WarningRow& finding) {
    return finding.code != to_text(analysis::TroubleKind::virtual_machine);
}

std::string_view level_of(const store::WarningRow& finding) {
    return finding.severity == store::Severity::serious ? "serious:"
           : is_warning(finding)                        ? "warning:"
                                                        : "note:";
}

/// A packet to the byte, a memory in a few digits.
std::string size_text(std::int64_t bytes) {
    constexpr std::int64_t small = 1 << 20;
    return bytes < small ? exact_text(Bytes{bytes}) : to_text(Bytes{bytes});
}

/// Facts with the units that people read; --json has them as they are.
std::string facts_text(const std::string& host, const machine::Facts& facts,
                       const report::Terminal& terminal) {
    constexpr std::string_view in_bytes = "_bytes";
    report::Table table({{host, report::Table::Align::left}, {"", report::Table::Align::left, 0, true}});
    for (const auto& [key, value] : facts) {
        const bool size = key.ends_with(in_bytes);
        auto name = key == "load_1min" ? "load average"
                    : size             ? key.substr(0, key.size() - in_bytes.size())
                                       : key;
        std::ranges::replace(name, '_', ' ');
        table.add({name, size ? size_text(std::atoll(value.c_str())) : value});
    }
    return table.text(terminal);
}

ExitStatus doctor(const DoctorOptions& options) {
    const auto places = machine::LeftoverPlaces::here();
    const auto removed = options.clean ? std::optional(clean(places)) : std::nullopt;
    const analysis::HostState host{.host = machine::host_name(),
                                   .facts = machine::collect_facts(),
                                   .ranks = {},
                                   .build_type = build_info().build_type,
                                   .leftovers = machine::find_leftovers(places)};
    const auto findings = examine(options, host);
    const bool serious = std::any_of(findings.begin(), findings.end(), [](const auto& finding) {
        return finding.severity == store::Severity::serious;
    });
    if (options.json) {
        nlohmann::ordered_json json{
            {"schema", "fathom.doctor/1"}, {"host", host.host}, {"facts", host.facts}};
        json["flavours"] = nlohmann::ordered_json::array();
        for (const auto flavour : launch::Installation::of_this_program().flavours()) {
            json["flavours"].push_back(to_text(flavour));
        }
        json["findings"] = nlohmann::ordered_json::array();
        for (const auto& finding : findings) {
            json["findings"].push_back(report::warning_json(finding));
        }
        json["leftovers"] = leftovers_json(host.leftovers);
        if (removed) {
            json["removed"] = leftovers_json(*removed);
        }
        report::print("{}", report::document(json));
    } else {
        const auto terminal = report::Terminal::of(STDOUT_FILENO);
        report::print("{}", facts_text(host.host, host.facts, terminal));
        report::print("{}", removed ? removed_text(*removed) : "");
        report::print("{}\n", findings.empty()
                                  ? "\nfathom found nothing on this machine that would disturb measurements."
                                  : "");
        int number = 0;
        for (const auto& finding : findings) {
            ++number;
            const auto level = level_of(finding);
            auto text = report::fitted(fmt::format("{}. {} {}\n   Fix: {}\n", number, level,
                                                   printable(finding.text), printable(finding.remedy)),
                                       terminal);
            if (finding.severity == store::Severity::serious) {
                text.replace(text.find(level), level.size(), report::yellow(level, terminal));
            }
            report::print("{}", text);
        }
    }
    const bool doubtful = std::ranges::any_of(findings, is_warning);
    return serious || (options.strict && doubtful) ? ExitStatus::check_failed : ExitStatus::done;
}

}  // namespace

void add_doctor(const Command& program, Invocation& invocation) {
    const auto options = std::make_shared<DoctorOptions>();
    const auto command = program.subcommand(
        "doctor", "Check this machine for what disturbs measurements, and how to fix it",
        "fathom doctor -n 4", [options, &invocation] { invocation.status = doctor(*options); });
    command.option("-n,--procs", options->procs, "number of processes you plan to run here")
        .value_name("N")
        .between(1, 1'000'000);
    command.flag("--clean", options->clean,
                 "remove shared-memory segments and session folders that your killed MPI jobs left behind");
    command.flag("--json", options->json, "one JSON document on stdout");
    command.flag("--strict", options->strict,
                 "exit with status 1 for warnings too: a machine that is busy, processes that are not bound");
    command.add_footer("Exit status 1 if anything serious was found, with --strict also for warnings.");
}

}  // namespace fathom::cli
