#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/printable.hpp"
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
#include "report/paragraph.hpp"
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
    std::string more = {};  ///< below the table
};

std::optional<plan::Flavour> listed_flavour(const launch::Installation& here, const std::string& requested) {
    if (requested.empty()) {
        const auto found = here.flavours();
        return found.empty() ? std::nullopt : std::optional(found.front());
    }
    return launch::choose_flavour(here, plan::flavour_from(requested), false);
}

bool is_operation(std::string_view name) {
    return std::ranges::find(plan::operations(), name, &plan::OperationInfo::name) !=
           plan::operations().end();
}

/// The operation that another is a variant of: pingpong of pingpong.isend, bcast of ibcast and bcast_init.
std::string_view base_of(const plan::OperationInfo& operation) {
    constexpr std::string_view persistent = "_init";
    auto name = operation.name.substr(0, operation.name.find('.'));
    if (operation.group == plan::Group::collective && name.ends_with(persistent)) {
        name.remove_suffix(persistent.size());
    }
    const auto blocking = name.substr(std::min<std::size_t>(1, name.size()));
    if (operation.group == plan::Group::collective && name.starts_with('i') && is_operation(blocking)) {
        name = blocking;
    }
    return name;
}

/// Families in order, each with its operations and how many variants they have.
report::Table folded_operations() {
    report::Table table({{"family", Align::left},
                         {"operations (+N: and N variants; NAME.*: variants only)", Align::left, 0, true}});
    std::vector<std::pair<plan::Group, std::vector<std::pair<std::string_view, int>>>> families;
    for (const auto& operation : plan::operations()) {
        auto family = std::ranges::find(families, operation.group, [](const auto& one) { return one.first; });
        if (family == families.end()) {
            family = families.insert(family, {operation.group, {}});
        }
        const auto base = base_of(operation);
        const auto same =
            std::ranges::find(family->second, base, [](const auto& entry) { return entry.first; });
        if (same == family->second.end()) {
            family->second.emplace_back(base, 0);
        } else {
            ++same->second;
        }
    }
    for (const auto& [group, bases] : families) {
        std::vector<std::string> words;
        for (const auto& [base, variants] : bases) {
            words.push_back(!is_operation(base) ? fmt::format("{}.* ({})", base, variants + 1)
                            : variants == 0     ? std::string(base)
                                                : fmt::format("{}+{}", base, variants));
        }
        table.add({std::string(to_text(group)), fmt::format("{}", fmt::join(words, ", "))});
    }
    return table;
}

/// Whether a word of the user stands for it: its name, what it is a variant of, its family or an MPI call.
bool is_meant(const plan::OperationInfo& operation, const std::string& word) {
    return operation.name == word || base_of(operation) == word || to_text(operation.group) == word ||
           operation.makes_call(word);
}

/// Throws BadInput for a word that stands for no operation.
void check_names_of_operations(const std::vector<std::string>& words) {
    std::set<std::string> known;
    for (const auto& operation : plan::operations()) {
        known.insert({std::string(operation.name), std::string(base_of(operation)),
                      std::string(to_text(operation.group))});
    }
    for (const auto& word : words) {
        const bool called = std::ranges::any_of(
            plan::operations(), [&](const auto& operation) { return operation.makes_call(word); });
        if (!called && !known.contains(word)) {
            throw BadInput(
                fmt::format("no operation, family or MPI call '{}'.{} 'fathom list ops' shows all.", word,
                            did_you_mean(word, {known.begin(), known.end()})));
        }
    }
}

/// With the operations that the MPI library in use does not support. Folded into families without words.
Listing list_operations(const std::string& mpi, const std::vector<std::string>& words) {
    check_names_of_operations(words);
    const auto here = launch::Installation::of_this_program();
    const auto flavour = listed_flavour(here, mpi);
    const auto unavailable = flavour ? here.unavailable(*flavour) : launch::Reasons{};
    Listing listing{words.empty() ? folded_operations()
                                  : report::Table({{"operation", Align::left},
                                                   {"calls", Align::left, 1, true},
                                                   {"what it is", Align::left, 0, true}})};
    for (const auto& operation : plan::operations()) {
        if (!words.empty() &&
            std::ranges::none_of(words, [&](const auto& word) { return is_meant(operation, word); })) {
            continue;
        }
        const auto lack = unavailable.find(operation.name);
        const bool lacking = lack != unavailable.end();
        if (!words.empty()) {
            listing.table.add({std::string(operation.name), std::string(operation.calls),
                               lacking
                                   ? fmt::format("unavailable with {}: {}", to_text(flavour), lack->second)
                                   : std::string(operation.summary)});
        }
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
    if (words.empty()) {
        listing.more = fmt::format(
            "\n{} operations{}. 'fathom list ops bcast' describes one and its variants, 'fathom list ops "
            "stream' a family.\n",
            listing.rows.size(),
            unavailable.empty()
                ? ""
                : fmt::format(", {} of them not with {}", unavailable.size(), to_text(flavour)));
    }
    return listing;
}

/// What --via takes besides trees: our own algorithms, or those that an MPI library offers.
Listing list_library_algorithms(plan::Flavour flavour) {
    const auto here = launch::Installation::of_this_program();
    Listing listing{report::Table({{"operation", Align::left},
                                   {"--via library:NAME", Align::left, 0, true},
                                   {"parameters", Align::left}})};
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
                                   {"needs", Align::left, 1},
                                   {"what it is", Align::left, 0, true}})};
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
    Listing listing{report::Table({{"preset", Align::left}, {"what it is", Align::left, 0, true}})};
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
                                   {"what it is", Align::left, 0, true}})};
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
    Listing listing{report::Table(
        {{"scheme", Align::left}, {"benchmark", Align::left}, {"what it does", Align::left, 0, true}})};
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

/// A point counts once, however many launches measure it.
struct PointCounts {
    std::size_t measured = 0;
    std::size_t all = 0;
};

PointCounts count_points(const store::Store& store, std::int64_t run) {
    std::set<plan::PointKey> measured;
    std::set<plan::PointKey> all;
    std::size_t damaged = 0;
    for (const auto& point : store.points(run)) {
        if (!point.damage.empty()) {
            store.note_damage(point.damage);
            ++damaged;  // its key may be damaged too
            continue;
        }
        all.insert(point.key);
        if (point.status == store::PointStatus::ok) {
            measured.insert(point.key);
        }
    }
    return {.measured = measured.size(), .all = all.size() + damaged};
}

/// `2026-11-16 23:40` of `2026-11-16T23:40:56Z`
std::string to_the_minute(const std::string& utc) {
    constexpr std::size_t separator = 10;
    constexpr std::size_t to_minute = 16;
    auto text = utc.substr(0, to_minute);
    if (text.size() > separator) {
        text[separator] = ' ';
    }
    return text;
}

/// Label, tags and why it is not complete. The tags of a round are for the search that resumes.
std::string words_on(const store::RunRow& run) {
    std::vector<std::string> words;
    for (const auto& text : {printable_name(run.label),
                             run.origin == store::RunOrigin::search ? std::string("round of a search")
                                                                    : report::tags_text(run.tags),
                             run.reason}) {
        if (!text.empty()) {
            words.push_back(text);
        }
    }
    return fmt::format("{}", fmt::join(words, "; "));
}

/// The runs that have all these tags; those that searches made for themselves only where all are wanted.
Listing list_runs(const std::string& db, const Tags& tags, bool with_rounds, ExitStatus& status) {
    const auto store = store::Store::open(db);
    auto runs = store.runs();
    std::erase_if(runs, [&](const auto& run) {
        return !std::includes(run.tags.begin(), run.tags.end(), tags.begin(), tags.end());
    });
    const auto rounds = with_rounds ? 0 : std::erase_if(runs, [](const auto& run) {
        return run.origin == store::RunOrigin::search;
    });
    const bool tagged = std::ranges::any_of(runs, [](const auto& run) { return !run.tags.empty(); });
    Listing listing{report::Table({{"run", Align::right},
                                   {"date (UTC)", Align::left},
                                   {"status", Align::left},
                                   {"mpi", Align::left},
                                   {"procs", Align::right},
                                   {"points", Align::right},
                                   {tagged ? "label, tags" : "label", Align::left, 0, true}})};
    for (const auto& run : runs) {
        const auto points = count_points(store, run.id);
        listing.table.add({fmt::format("{}", run.id), to_the_minute(run.created_utc),
                           std::string(to_text(run.status)), run.mpi_flavour, fmt::format("{}", run.procs),
                           fmt::format("{}/{}", points.measured, points.all), words_on(run)});
        listing.rows.push_back({{"run", run.id},
                                {"created_utc", run.created_utc},
                                {"status", run.status},
                                {"reason", run.reason},
                                {"mpi", run.mpi_flavour},
                                {"procs", run.procs},
                                {"points_ok", points.measured},
                                {"points", points.all},
                                {"label", run.label},
                                {"origin", run.origin},
                                {"tags", run.tags}});
    }
    if (rounds > 0) {
        listing.more = fmt::format(
            "({} not listed; --all shows {}.)\n",
            rounds == 1 ? "1 round of a search is" : fmt::format("{} rounds of searches are", rounds),
            rounds == 1 ? "it" : "them");
    }
    status = status_of_reading(store);
    return listing;
}

struct ListOptions {
    std::vector<std::string> words;
    std::string mpi;
    std::string db;
    std::vector<std::string> tags;
    bool all = false;
    bool json = false;

    [[nodiscard]] std::string what() const { return words.empty() ? std::string() : words.front(); }
};

/// What there is to list.
struct Kind {
    std::string_view name;
    std::string_view summary;
    Listing (*list)(const ListOptions& options, ExitStatus& status);
};

std::span<const Kind> kinds() {
    static const auto all = std::to_array<Kind>({
        {"ops", "operations that can be measured, by family; 'list ops bcast' describes one",
         [](const ListOptions& options, ExitStatus& /*status*/) {
             return list_operations(options.mpi, {options.words.begin() + 1, options.words.end()});
         }},
        {"algorithms", "fathom's own algorithms of collectives, or with --mpi those of a library",
         [](const ListOptions& options, ExitStatus& /*status*/) { return list_algorithms(options.mpi); }},
        {"runs", "what was measured",
         [](const ListOptions& options, ExitStatus& status) {
             return list_runs(options.db, requested_tags(options.tags), options.all, status);
         }},
        {"presets", "settings that belong together, for 'run --preset'",
         [](const ListOptions& /*options*/, ExitStatus& /*status*/) { return list_presets(); }},
        {"schemes", "how other benchmarks measure, for 'run --scheme'",
         [](const ListOptions& /*options*/, ExitStatus& /*status*/) { return list_schemes(); }},
        {"platforms", "simulated machines, for 'run --platform'",
         [](const ListOptions& /*options*/, ExitStatus& /*status*/) { return list_platforms(); }},
    });
    return all;
}

/// What can be listed, where nothing was asked for.
Listing list_kinds() {
    Listing listing{report::Table({{"fathom list", Align::left}, {"shows", Align::left, 0, true}})};
    for (const auto& kind : kinds()) {
        listing.table.add({std::string(kind.name), std::string(kind.summary)});
        listing.rows.push_back({{"list", kind.name}, {"summary", kind.summary}});
    }
    return listing;
}

Listing listing_of(const ListOptions& options, ExitStatus& status) {
    const auto what = options.what();
    const auto kind = std::ranges::find(kinds(), what, &Kind::name);
    if (what.empty()) {
        return list_kinds();
    }
    if (kind == kinds().end()) {
        std::vector<std::string> names;
        for (const auto& one : kinds()) {
            names.emplace_back(one.name);
        }
        throw BadInput(fmt::format("cannot list '{}'.{} 'fathom list' alone shows what there is.", what,
                                   did_you_mean(what, names)));
    }
    if (options.words.size() > 1 && kind->name != "ops") {
        throw BadInput(fmt::format("'fathom list {}' takes no '{}'.", what, options.words[1]));
    }
    return kind->list(options, status);
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
                    {"schema", "fathom.list/1"}, {"list", options->what()}, {"rows", listing.rows}};
                report::print("{}", report::document(json));
            } else {
                const auto terminal = report::Terminal::of(STDOUT_FILENO);
                report::print("{}{}", listing.table.text(terminal), report::fitted(listing.more, terminal));
            }
        });
    command
        .option("what", options->words,
                "ops, algorithms, runs, presets, schemes or platforms; after ops, operations or families")
        .value_name("WHAT");
    command
        .option("--mpi", options->mpi,
                "ops: which of them this MPI library supports; algorithms: those of this library")
        .value_name("FLAVOUR")
        .not_empty();
    command.option("--tag", options->tags, "only runs with this tag; may be repeated")
        .value_name("KEY=VALUE")
        .repeatable();
    command.flag("--all", options->all,
                 "runs: also the rounds of searches (tune, tree optimize), each of them a run");
    command.db_option(options->db);
    command.flag("--json", options->json, "one JSON document on stdout");
}

}  // namespace fathom::cli
