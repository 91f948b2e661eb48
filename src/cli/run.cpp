#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "base/file.hpp"
#include "cli/against.hpp"
#include "cli/command_line.hpp"
#include "cli/dry_run.hpp"
#include "cli/given_settings.hpp"
#include "cli/measure.hpp"
#include "plan/operations.hpp"
#include "plan/pairing.hpp"
#include "plan/plan_toml.hpp"
#include "plan/presets.hpp"
#include "plan/schemes.hpp"

namespace fathom::cli {
namespace {

struct RunOptions {
    GivenSettings given;
    std::string plan_file;
    std::string preset;
    std::string scheme;
    std::string pairs_file;
    std::string resume;
    std::string collect;
    std::string against;
    GateOptions gate;
    MeasureOptions measure;
    bool dry = false;
};

/// `pairs-file FILE` is `pairs` with a file; `kernel sor` is `kernel.sor`.
void read_operations(RunOptions& options) {
    auto& words = options.given.operations();
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        const auto known = plan::operation_names();
        const auto joined = words[i] + "." + words[i + 1];
        if (words[i] == "pairs-file" && options.pairs_file.empty()) {
            options.pairs_file = words[i + 1];
            words[i] = "pairs";
        } else if (std::find(known.begin(), known.end(), joined) != known.end() &&
                   std::find(known.begin(), known.end(), words[i]) == known.end()) {
            words[i] = joined;
        } else {
            continue;
        }
        words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
}

/// What the command line says besides where to start from.
void change(plan::Plan& plan, RunOptions& options) {
    read_operations(options);
    if (!options.scheme.empty()) {
        plan::apply_scheme(plan, options.scheme);
    }
    options.given.apply_to(plan);
    if (!options.pairs_file.empty()) {
        plan.operation.pairs =
            plan::read_pairs(read_file(options.pairs_file, longest_input), options.pairs_file);
    }
}

plan::Plan plan_from(RunOptions& options) {
    plan::Plan plan;
    plan::apply_preset(plan, plan::default_preset);
    if (!options.preset.empty()) {
        plan::apply_preset(plan, options.preset);
    }
    if (!options.plan_file.empty()) {
        plan::read_plan(plan, read_file(options.plan_file, longest_input), options.plan_file);
    }
    change(plan, options);
    return plan;
}

ExitStatus run(RunOptions& options) {
    const bool names_plan = options.given.any() || !options.plan_file.empty() || !options.preset.empty() ||
                            !options.scheme.empty() || !options.pairs_file.empty();
    if (!options.resume.empty() + !options.collect.empty() + !options.against.empty() > 1) {
        throw BadInput("--resume, --collect and --against exclude each other; give one.");
    }
    if (options.against.empty() && options.gate.any()) {
        throw BadInput("--fail-above, --negligible and --allow-undecided need --against RUN.");
    }
    if (options.measure.trust_file && options.against.empty() && options.resume.empty()) {
        throw BadInput("--trust-file needs --resume RUN or --against RUN.");
    }
    if (options.dry && !(options.resume.empty() && options.collect.empty() && options.against.empty())) {
        throw BadInput("--dry-run is for a new run; remove --resume, --collect or --against.");
    }
    if (!options.against.empty()) {
        options.gate.wide = options.measure.wide;
        if (!options.plan_file.empty() || !options.preset.empty()) {
            throw BadInput("--against uses the stored plan; remove --plan and --preset.");
        }
        if (options.given.has({"runs", "revisit_percent"})) {
            throw BadInput(
                "--runs and --revisit do not apply with --against, which launches until every point is "
                "decided; "
                "limit its time with --budget.");
        }
        return run_against(
            options.against, [&](plan::Plan& plan) { change(plan, options); }, options.gate, options.measure);
    }
    if (!options.resume.empty() || !options.collect.empty()) {
        if (names_plan) {
            throw BadInput(fmt::format("{} uses the stored plan; remove operations and settings.",
                                       options.resume.empty() ? "--collect" : "--resume"));
        }
        return options.resume.empty() ? collect_journal(options.collect, options.measure)
                                      : resume_run(options.resume, options.measure);
    }
    return options.dry ? dry_run(plan_from(options), options.measure.allow_root, options.measure.json)
                       : new_run(plan_from(options), options.measure);
}

}  // namespace

void add_run(const Command& program, Invocation& invocation) {
    const auto options = std::make_shared<RunOptions>();
    const auto command = program.subcommand("run", "Measure operations and store the result",
                                            "fathom run allreduce bcast -n 4 --sizes 8:64k --reps 2000",
                                            [options, &invocation] { invocation.status = run(*options); });
    options->measure.command_line = invocation.command_line;
    options->given.add_all(command);
    command.option("--plan", options->plan_file, "take settings from a TOML file; options override them")
        .value_name("FILE.toml")
        .below(title_of(plan::SettingTopic::points));
    command.option("--preset", options->preset, "start from a preset ('fathom list presets' shows all)")
        .value_name("NAME");
    command
        .option("--scheme", options->scheme,
                "measure as another benchmark does ('fathom list schemes' shows all); options override it")
        .value_name("NAME")
        .below(title_of(plan::SettingTopic::points));
    command
        .option("--pairs-file", options->pairs_file,
                "partners for operations in pairs, two processes per line, every process once")
        .value_name("FILE")
        .below(title_of(plan::SettingTopic::points));
    command.option("--resume", options->resume, "continue an interrupted run").value_name("RUN");
    command.option("--collect", options->collect, "store the journal of a probe that was started by hand")
        .value_name("JOURNAL")
        .below(title_of(plan::SettingTopic::job));
    command
        .option(
            "--against", options->against,
            "measure the plan of a stored run again, in short launches that alternate with a rerun of it as "
            "it was, until every point is decided or --budget runs out (default here: 2min), and compare; "
            "options change the new run alone")
        .value_name("RUN")
        .not_empty();
    for (const auto& option : add_gate_options(command, options->gate, "the new run")) {
        (void)option.below("As a gate");
    }
    command.flag("--dry-run", options->dry,
                 "say what would be measured, how and for how long; start nothing");
    const auto output = title_of(plan::SettingTopic::output);
    (void)command.db_option(options->measure.db).below(output);
    (void)command.flag("--json", options->measure.json, "one JSON document on stdout").below(output);
    (void)command.flag("--plot", options->measure.plot, "draw time against size below the table")
        .below(output);
    (void)command.flag("--wide", options->measure.wide, "all columns, however wide the terminal is")
        .below(output);
    for (const auto& option : add_progress_options(command, options->measure)) {
        (void)option.below(output);
    }
    command
        .flag("--trust-file", options->measure.trust_file,
              "with --resume or --against: use the launcher, platform and variables of a stored run that "
              "you did not make")
        .below(title_of(plan::SettingTopic::job));
    command.flag("--allow-run-as-root", options->measure.allow_root, "let Open MPI run as root")
        .below(title_of(plan::SettingTopic::job));
}

}  // namespace fathom::cli
