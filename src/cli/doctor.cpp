#include "analysis/run/doctor.hpp"

#include <algorithm>
#include <memory>
#include <unistd.h>

#include <fmt/format.h>

#include "base/build_info.hpp"
#include "cli/command_line.hpp"
#include "journal/json.hpp"
#include "launch/flavours.hpp"
#include "machine/facts.hpp"
#include "report/json.hpp"
#include "report/sentences/doctor.hpp"
#include "report/style.hpp"

namespace fathom::cli {
namespace {

struct DoctorOptions {
    int procs = 0;
    bool json = false;
};

std::vector<store::WarningRow> examine(const DoctorOptions& options, const analysis::HostState& host) {
    auto state = host;
    // How processes would be placed: bound by our launchers unless they must share cores.
    for (int rank = 0; rank < options.procs; ++rank) {
        state.ranks.push_back({rank, "0"});
    }
    std::vector<store::WarningRow> warnings;
    for (const auto& trouble : analysis::diagnose({state})) {
        warnings.push_back(report::warning_of(trouble));
    }
    return warnings;
}

ExitStatus doctor(const DoctorOptions& options) {
    const analysis::HostState host{
        machine::host_name(), machine::collect_facts(), {}, build_info().build_type};
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
        fmt::print("{}", report::document(json));
    } else {
        const auto terminal = report::Terminal::of(STDOUT_FILENO);
        fmt::print("{}\n", report::bold(host.host, terminal));
        for (const auto& [key, value] : host.facts) {
            fmt::print("  {}: {}\n", key, value);
        }
        fmt::print("{}\n", findings.empty()
                               ? "\nfathom found nothing on this machine that would disturb measurements."
                               : "");
        int number = 0;
        for (const auto& finding : findings) {
            const bool bad = finding.severity == store::Severity::serious;
            fmt::print("{}. {} {}\n   Fix: {}\n", ++number,
                       bad ? report::yellow("serious:", terminal) : "note:", finding.text, finding.remedy);
        }
    }
    return serious ? ExitStatus::check_failed : ExitStatus::done;
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
    command.flag("--json", options->json, "one JSON document on stdout");
    command.add_footer("Exit status 1 if anything serious was found.");
}

}  // namespace fathom::cli
