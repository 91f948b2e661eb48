#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "cli/stored_run.hpp"
#include "journal/json.hpp"
#include "launch/flavours.hpp"
#include "launch/library_offers.hpp"
#include "launch/platform.hpp"
#include "plan/implementations.hpp"
#include "plan/operations.hpp"
#include "plan/presets.hpp"
#include "plan/reference_algorithms.hpp"
#include "plan/schemes.hpp"
#include "plan/setting_values.hpp"
#include "report/json.hpp"
#include "report/output.hpp"
#include "report/run_text.hpp"
#include "report/table.hpp"
#include "store/store.hpp"

namespace fathom::cli {
namespace {

using nlohmann::ordered_json;
using Align = report::Table::Align;

/// A listing in both forms: what a person reads and what a script reads.
struct Listing {
    report::Table table;
    ordered_json rows = ordered_json::array();
};

std::optional<plan::Flavour> listed_flavour(const launch::Installation& here, const std::string& requested) {
    if (requested.empty()) {
        const auto found = here.flavours();
        return found.empty() ? std::nullopt : std::optional(found.front());
    }
    return launch::choose_flavour(here, plan::flavour_from(requested), false);
}

/// With the operations that the MPI library in use does not support.
Listing list_operations(const std::string& mpi) {
    const auto here = launch::Installation::of_this_program();
    const auto flavour = listed_flavour(here, mpi);
    const auto unavailable = flavour ? here.unavailable(*flavour) : launch::Reasons{};
    Listing listing{report::Table({{"operation", Align::left},
                                   {"pattern", Align::left},
                                   {"calls", Align::left},
                                   {"what it is", Align::left}})};
    for (const auto& operation : plan::operations()) {
        const auto lack = unavailable.find(operation.name);
        const bool lacking = lack != unavailable.end();
        listing.table.add({std::string(operation.name), std::string(operation.pattern()),
                           std::string(operation.calls),
                           lacking ? fmt::format("unavailable with {}: {}", to_text(flavour), lack->second)
                                   : std::string(operation.summary)});
        listing.rows.push_back({{"operation", operation.name},
                                {"pattern", operation.pattern()},
                                {"family", to_text(operation.group)},
                                {"calls", operation.calls},
                                {"mpi_version", operation.version_text()},
                                {"sized", operation.sized},
                                {"min_procs", operation.min_procs},
                                {"mpi", to_text(flavour)},
                                {"status", lacking ? "unavailable" : "available"},
                                {"reason", lacking ? lack->second : std::string()},
                                {"summary", operation.summary}});
    }
    return listing;
}

/// What --via takes besides trees: our own algorithms, or those that an MPI library offers.
Listing list_library_algorithms(plan::Flavour flavour) {
    const auto here = launch::Installation::of_this_program();
    Listing listing{report::Table(
        {{"operation", Align::left}, {"--via library:NAME", Align::left}, {"parameters", Align::left}})};
    const auto offers = launch::offered_library(here, flavour).operations;
    for (const auto& operation : plan::operations()) {
        const auto found = offers.find(operation.name);
        if (found == offers.end() || found->second.algorithms.empty() || operation.overlaps()) {
            continue;
        }
        const auto& offer = found->second;
        listing.table.add(
            {std::string(operation.name), fmt::format("{}", fmt::join(offer.algorithms, ", ")),
             offer.parameters.empty() ? "-" : fmt::format("{}", fmt::join(offer.parameters, ", "))});
        listing.rows.push_back({{"operation", operation.name},
                                {"mpi", to_text(flavour)},
                                {"algorithms", offer.algorithms},
                                {"parameters", offer.parameters}});
    }
    return listing;
}

Listing list_algorithms(const std::string& mpi) {
    if (!mpi.empty()) {
        const auto flavour = listed_flavour(launch::Installation::of_this_program(), mpi);
        return list_library_algorithms(flavour.value());
    }
    Listing listing{report::Table({{"operation", Align::left},
                                   {"implementation", Align::left},
                                   {"needs", Align::left},
                                   {"what it is", Align::left}})};
    for (const auto& row : plan::reference_algorithms()) {
        const auto implementation = plan::to_text(
            plan::Implementation{.kind = plan::ImplementationKind::reference, .name = std::string(row.name)});
        listing.table.add({std::string(row.operation), implementation,
                           row.demand().empty() ? "-" : std::string(row.demand()), std::string(row.summary)});
        listing.rows.push_back({{"operation", row.operation},
                                {"implementation", implementation},
                                {"name", row.name},
                                {"needs_commutative", row.commutative},
                                {"buffers", row.buffers},
                                {"summary", row.summary}});
    }
    return listing;
}

Listing list_presets() {
    Listing listing{report::Table({{"preset", Align::left}, {"what it is", Align::left}})};
    for (const auto& preset : plan::presets()) {
        listing.table.add({std::string(preset.name), std::string(preset.summary)});
        listing.rows.push_back(
            {{"preset", preset.name}, {"summary", preset.summary}, {"plan_toml", preset.toml}});
    }
    return listing;
}

Listing list_platforms() {
    Listing listing{report::Table({{"platform", Align::left},
                                   {"ranks", Align::right},
                                   {"hosts", Align::right},
                                   {"what it is", Align::left}})};
    for (const auto& platform : launch::platforms_in(launch::Installation::of_this_program().platforms)) {
        listing.table.add({platform.name, fmt::format("{}", platform.places()),
                           fmt::format("{}", platform.hosts), platform.summary});
        listing.rows.push_back({{"platform", platform.name},
                                {"ranks", platform.places()},
                                {"hosts", platform.hosts},
                                {"file", platform.file.string()},
                                {"summary", platform.summary}});
    }
    return listing;
}

Listing list_schemes() {
    Listing listing{
        report::Table({{"scheme", Align::left}, {"benchmark", Align::left}, {"what it does", Align::left}})};
    for (const auto& scheme : plan::schemes()) {
        listing.table.add(
            {std::string(scheme.name), std::string(scheme.benchmark), std::string(scheme.summary)});
        listing.rows.push_back({{"scheme", scheme.name},
                                {"benchmark", scheme.benchmark},
                                {"summary", scheme.summary},
                                {"plan_toml", scheme.toml},
                                {"between_two_toml", scheme.between_two}});
    }
    return listing;
}

using Tags = std::map<std::string, std::string>;

Tags requested_tags(const std::vector<std::string>& tags) {
    try {
        return plan::tag_map(tags);
    } catch (const BadInput& fix) {
        throw BadInput(fmt::format("--tag is \"{}\"; {}.", fmt::join(tags, ", "), fix.what()));
    }
}

/// The runs that have all these tags.
Listing list_runs(const std::string& db, const Tags& tags, ExitStatus& status) {
    const auto store = store::Store::open(db);
    auto runs = store.runs();
    std::erase_if(runs, [&](const auto& run) {
        return !std::includes(run.tags.begin(), run.tags.end(), tags.begin(), tags.end());
    });
    std::vector<report::Table::Column> columns{
        {"run", Align::right},   {"date", Align::left},    {"status", Align::left}, {"mpi", Align::left},
        {"procs", Align::right}, {"points", Align::right}, {"label", Align::left}};
    const bool tagged =
        std::any_of(runs.begin(), runs.end(), [](const auto& run) { return !run.tags.empty(); });
    if (tagged) {
        columns.push_back({"tags", Align::left});
    }
    Listing listing{report::Table(columns)};
    for (const auto& run : runs) {
        int measured = 0;
        int all = 0;
        for (const auto& point : store.points(run.id)) {
            if (!point.damage.empty()) {
                store.note_damage(point.damage);
            }
            measured += point.damage.empty() && point.status == store::PointStatus::ok ? 1 : 0;
            ++all;
        }
        std::vector<std::string> cells{fmt::format("{}", run.id),
                                       run.created_utc,
                                       std::string(to_text(run.status)),
                                       run.mpi_flavour,
                                       fmt::format("{}", run.procs),
                                       fmt::format("{}/{}", measured, all),
                                       run.label};
        if (tagged) {
            cells.push_back(report::tags_text(run.tags));
        }
        listing.table.add(std::move(cells), run.reason);
        listing.rows.push_back({{"run", run.id},
                                {"created_utc", run.created_utc},
                                {"status", run.status},
                                {"reason", run.reason},
                                {"mpi", run.mpi_flavour},
                                {"procs", run.procs},
                                {"points_ok", measured},
                                {"points", all},
                                {"label", run.label},
                                {"tags", run.tags}});
    }
    status = status_of_reading(store);
    return listing;
}

struct ListOptions {
    std::string what;
    std::string mpi;
    std::string db;
    std::vector<std::string> tags;
    bool json = false;
};

Listing listing_of(const ListOptions& options, ExitStatus& status) {
    const auto& what = options.what;
    if (what == "ops") {
        return list_operations(options.mpi);
    }
    if (what == "algorithms") {
        return list_algorithms(options.mpi);
    }
    if (what == "presets") {
        return list_presets();
    }
    if (what == "schemes") {
        return list_schemes();
    }
    if (what == "platforms") {
        return list_platforms();
    }
    if (what == "runs") {
        return list_runs(options.db, requested_tags(options.tags), status);
    }
    throw BadInput(
        fmt::format("cannot list '{}'.{} Give ops, algorithms, runs, presets, schemes or platforms.", what,
                    did_you_mean(what, {"ops", "algorithms", "runs", "presets", "schemes", "platforms"})));
}

}  // namespace

void add_list(const Command& program, Invocation& invocation) {
    const auto options = std::make_shared<ListOptions>();
    const auto command = program.subcommand(
        "list", "Show operations, algorithms, runs, presets, schemes or simulated platforms",
        "fathom list ops", [options, &invocation] {
            const auto listing = listing_of(*options, invocation.status);
            if (options->json) {
                const ordered_json json{
                    {"schema", "fathom.list/1"}, {"list", options->what}, {"rows", listing.rows}};
                report::print("{}", report::document(json));
            } else {
                report::print("{}", listing.table.text(report::Terminal::of(STDOUT_FILENO)));
            }
        });
    command.option("what", options->what, "ops, algorithms, runs, presets, schemes or platforms")
        .required()
        .value_name("WHAT");
    command
        .option("--mpi", options->mpi,
                "ops: which of them this MPI library supports; algorithms: those of this library")
        .value_name("FLAVOUR")
        .not_empty();
    command.option("--tag", options->tags, "only runs with this tag; may be repeated")
        .value_name("KEY=VALUE")
        .repeatable();
    command.db_option(options->db);
    command.flag("--json", options->json, "one JSON document on stdout");
}

}  // namespace fathom::cli
