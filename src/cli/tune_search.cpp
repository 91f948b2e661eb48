#include "cli/tune_search.hpp"

#include <memory>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "cli/tune.hpp"
#include "launch/interruption.hpp"
#include "plan/grid.hpp"
#include "plan/library_algorithms.hpp"
#include "plan/presets.hpp"

namespace fathom::cli {

plan::Plan plan_of_tuning() {
    plan::Plan plan;
    plan::apply_preset(plan, plan::default_preset);
    plan.operations = {"bcast", "allreduce", "alltoall", "allgather", "reduce_scatter"};
    plan.sizes = {"8",   "32",  "128", "512",  "1k",   "2k",   "4k", "8k",
                  "16k", "32k", "64k", "128k", "256k", "512k", "1M"};
    return plan;
}

namespace {

void check_tuning_settings(const plan::Plan& plan) {
    for (const auto& operation : plan.operations) {
        if (!plan::has_library_algorithms(plan::find_operation(operation)) ||
            plan::find_operation(operation).overlaps()) {
            throw BadInput(fmt::format("{} has no algorithms to choose from; give collectives.", operation));
        }
    }
    if (!plan::size_grid(plan.sizes).refined.empty() || !plan::process_grid(plan.procs).refined.empty()) {
        throw BadInput(
            "--sizes and -n take fixed values here, such as 8,256,4k; sizes in between are added where "
            "algorithms change over.");
    }
}

/// What is neither an operation nor a command may have been meant as either.
void check_words(const std::vector<std::string>& words) {
    for (const auto& word : words) {
        const auto meant = did_you_mean(word, {tune_commands.begin(), tune_commands.end()});
        if (plan::known_operation(word) == nullptr && !meant.empty()) {
            throw BadInput(
                fmt::format("no tune command and no operation '{}'.{}", printable_name(word), meant));
        }
    }
}

ExitStatus tune(TuneOptions& options) {
    check_words(options.given.operations());
    auto plan = plan_of_tuning();
    options.given.apply_to(plan);
    check_tuning_settings(plan);
    launch::catch_interruptions();
    return tune_library(plan, options);
}

}  // namespace

Command add_tune_search(const Command& program, Invocation& invocation) {
    const auto options = std::make_shared<TuneOptions>();
    const auto command = program.subcommand(
        "tune", "Find the best algorithm of the MPI library for every size, predict it, or fit closed forms",
        "fathom tune allreduce -n 8 --budget 120s", [options, &invocation] {
            invocation.status = options->prove.empty() ? tune(*options) : prove_tuning(*options);
        });
    options->measure.command_line = invocation.command_line;
    options->given.add_for_tuning(command, plan_of_tuning());
    command.flag("--resume", options->resume, "go on with the newest tuning that has these settings");
    command.flag("--all", options->all, "also print every measured time");
    command
        .option("-o,--output", options->output,
                "begins the names of the files that are written (default tuned-LIBRARY)")
        .value_name("PREFIX")
        .not_empty();
    command.flag(
        "--commutative", options->commutative,
        "no program has reductions that do not commute: rules of Open MPI, which hold for those too, "
        "may change the order of operands");
    command.flag("--no-files", options->no_files, "write no files and prove nothing");
    command
        .option("--parameter", options->parameters,
                "also algorithms with a parameter of theirs: segmentsize=8192,65536")
        .value_name("NAME=VALUES")
        .repeatable();
    command
        .option(
            "--from", options->from,
            "predict algorithms too, by what these stored runs say of the network (see 'fathom tune model')")
        .value_name("RUN")
        .repeatable();
    command
        .option("--prove", options->prove,
                "measure with the files of a tuning (its .tuning.json) and without, and tune nothing")
        .value_name("FILE")
        .not_empty();
    command.db_option(options->measure.db);
    command.flag("--json", options->measure.json, "one JSON document on stdout");
    add_progress_options(command, options->measure);
    command.flag("--allow-run-as-root", options->measure.allow_root, "let Open MPI run as root");
    return command;
}

}  // namespace fathom::cli
