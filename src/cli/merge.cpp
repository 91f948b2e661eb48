#include <algorithm>
#include <memory>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/merging.hpp"
#include "cli/command_line.hpp"
#include "cli/run_reference.hpp"
#include "report/json.hpp"
#include "report/merging.hpp"

namespace fathom::cli {
namespace {

struct MergeOptions {
    std::vector<std::string> runs;
    std::string db;
    bool json = false;
    bool csv = false;
    bool anyway = false;
};

void merge(const MergeOptions& options) {
    if (options.json && options.csv) {
        throw BadInput("say in which form: --csv or --json.");
    }
    const auto found = find_runs(options.runs, options.db);
    std::vector<std::pair<std::string, std::int64_t>> files_and_runs;
    for (const auto& [store, run] : found) {
        files_and_runs.emplace_back(store.path().string(), run.id);
    }
    const auto names = analysis::names_of(files_and_runs);
    std::vector<analysis::MeasuredRun> runs;
    for (std::size_t i = 0; i < found.size(); ++i) {
        runs.push_back(analysis::measured_run(found[i].store, found[i].run, names[i], false));
    }
    const auto merging = analysis::merge(std::move(runs), options.anyway);
    if (options.json) {
        fmt::print("{}", report::document(report::merging_json(merging)));
    } else if (options.csv) {
        report::write_merging_csv(stdout, merging);
    } else {
        fmt::print("{}", report::merging_text(merging, report::Terminal::of(STDOUT_FILENO)));
    }
}

}  // namespace

void add_merge(CLI::App& app, Invocation& /*invocation*/) {
    const auto options = std::make_shared<MergeOptions>();
    auto* command = add_subcommand(app, "merge", "Several runs of the same as one: medians over runs",
                                   "fathom merge monday tuesday wednesday", [options] { merge(*options); });
    command->add_option("runs", options->runs, run_reference_help)->type_name("RUN")->required();
    add_db_option(*command, options->db);
    command->add_flag("--json", options->json, "one JSON document on stdout");
    command->add_flag("--csv", options->csv, "comma-separated rows on stdout");
    command->add_flag("--anyway", options->anyway,
                      "merge runs of other hosts, libraries or settings too, and say in what they differ");
}

}  // namespace fathom::cli
