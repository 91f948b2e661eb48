#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <unistd.h>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "cli/command_line.hpp"
#include "journal/json.hpp"
#include "launch/lease.hpp"
#include "launch/runs.hpp"
#include "report/json.hpp"
#include "report/output.hpp"
#include "store/store.hpp"

namespace fathom::cli {
namespace {

struct DeleteOptions {
    std::vector<std::string> runs;
    std::string db;
    bool json = false;
    bool yes = false;
};

/// The runs of these names, in this order and each once.
std::vector<store::RunRow> runs_to_delete(const store::Store& store, const std::vector<std::string>& names) {
    std::vector<store::RunRow> found;
    for (const auto& name : names) {
        auto run = store.find_run(name);
        launch::refuse_in_progress(store, run.id);
        const bool known =
            std::any_of(found.begin(), found.end(), [&](const auto& other) { return other.id == run.id; });
        if (!known) {
            found.push_back(std::move(run));
        }
    }
    return found;
}

std::string run_line(const store::RunRow& run) {
    return fmt::format("run {}{}, {}", run.id,
                       run.label.empty() ? "" : fmt::format(" ({})", printable_name(run.label)),
                       printable_name(run.created_utc));
}

/// Asks the person at the terminal. Throws BadInput if there is none.
bool confirmed(const std::vector<store::RunRow>& runs, const std::string& db) {
    if (::isatty(STDIN_FILENO) == 0) {
        throw BadInput("delete asks before it deletes, and stdin is no terminal; add --yes.");
    }
    for (const auto& run : runs) {
        report::print(stderr, "{}\n", run_line(run));
    }
    report::print(stderr, "Delete {} with all samples from {}? [y/N] ", runs.size() == 1 ? "it" : "them",
                  printable(db));
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

ExitStatus delete_runs(const DeleteOptions& options) {
    auto store = store::Store::open_to_change(options.db);
    const auto runs = runs_to_delete(store, options.runs);
    if (!options.yes && !confirmed(runs, options.db)) {
        report::print(stderr, "fathom: nothing was deleted.\n");
        return ExitStatus::check_failed;
    }
    auto deleted = nlohmann::ordered_json::array();
    for (const auto& run : runs) {
        launch::delete_run(store, run.id);
        deleted.push_back({{"run", run.id}, {"label", run.label}, {"created_utc", run.created_utc}});
        if (!options.json) {
            report::print("Deleted {}.\n", run_line(run));
        }
    }
    if (options.json) {
        report::print("{}", report::document({{"schema", "fathom.delete/1"}, {"deleted", deleted}}));
    }
    return ExitStatus::done;
}

}  // namespace

void add_delete(const Command& program, Invocation& invocation) {
    const auto options = std::make_shared<DeleteOptions>();
    const auto command =
        program.subcommand("delete", "Delete stored runs", "fathom delete 7 8 --yes",
                           [options, &invocation] { invocation.status = delete_runs(*options); });
    command.option("runs", options->runs, "number, label or 'last'").value_name("RUN").required();
    command.db_option(options->db);
    command.flag("-y,--yes", options->yes, "do not ask");
    command.flag("--json", options->json, "one JSON document on stdout");
}

}  // namespace fathom::cli
