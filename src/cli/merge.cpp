#include <algorithm>
#include <memory>
#include <unistd.h>

#include <fmt/format.h>

#include "analysis/across_runs/merging.hpp"
#include "cli/command_line.hpp"
#include "cli/run_reference.hpp"
#include "cli/stored_run.hpp"
#include "journal/json.hpp"
#include "report/json.hpp"
#include "report/merging.hpp"
#include "report/output.hpp"

namespace fathom::cli {
namespace {

struct MergeOptions {
    std::vector<std::string> runs;
    std::string db;
    bool json = false;
    bool csv = false;
    bool raw = false;
    bool anyway = false;
};

ExitStatus merge(const MergeOptions& options) {
    if (options.json && options.csv) {
        throw BadInput("choose a format: --csv or --json.");
    }
    if (options.raw && !options.csv) {
        throw BadInput("--raw needs --csv.");
    }
    const auto found = find_runs(options.runs, options.db);
    std::vector<analysis::RunPlace> places;
    for (const auto& [store, run] : found) {
        places.push_back({store.path().string(), run.id, run.label});
    }
    const auto names = analysis::names_of(places);
    std::vector<analysis::MeasuredRun> runs;
    for (std::size_t i = 0; i < found.size(); ++i) {
        runs.push_back(
            analysis::measured_run(found[i].store, found[i].run, names[i], false, {.other_runs = false}));
    }
    const auto merging = analysis::merge(std::move(runs));
    if (const auto refusal = report::merging_refusal(merging); !refusal.empty() && !options.anyway) {
        throw BadInput(refusal);
    }
    if (options.json) {
        report::print("{}", report::document(report::merging_json(merging)));
    } else if (options.csv) {
        report::write_merging_csv(stdout, merging,
                                  options.raw ? report::CsvTexts::raw : report::CsvTexts::safe);
    } else {
        report::print("{}", report::merging_text(merging, report::Terminal::of(STDOUT_FILENO)));
    }
    auto status = ExitStatus::done;
    for (const auto& [store, run] : found) {
        status = status_of_reading(store, status);
    }
    return status;
}

}  // namespace

void add_merge(const Command& program, Invocation& invocation) {
    const auto options = std::make_shared<MergeOptions>();
    const auto command = program.subcommand("merge", "Merge repeated runs into one: medians over runs",
                                            "fathom merge monday tuesday wednesday",
                                            [options, &invocation] { invocation.status = merge(*options); });
    command.option("runs", options->runs, run_reference_help).value_name("RUN").required();
    command.db_option(options->db);
    command.flag("--json", options->json, "one JSON document on stdout");
    command.flag("--csv", options->csv, "comma-separated rows on stdout");
    command.flag("--raw", options->raw, report::csv_raw_help);
    command.flag("--anyway", options->anyway,
                 "also merge runs with different hosts, libraries or settings, and list the differences");
}

}  // namespace fathom::cli
