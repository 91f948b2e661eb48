#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "base/file.hpp"
#include "cli/command_line.hpp"
#include "cli/measure.hpp"
#include "plan/plan_toml.hpp"
#include "plan/presets.hpp"
#include "plan/settings.hpp"

namespace fathom::cli {
namespace {

/// The plan settings as they were given on the command line.
struct GivenSettings {
    std::map<std::string_view, std::string> texts;
    std::map<std::string_view, bool> toggles;
    std::map<std::string_view, CLI::Option*> options;
    std::vector<std::string> operations;

    /// Adds an option for every row of the table of settings.
    void add_to(CLI::App& command) {
        for (const auto& setting : plan::settings()) {
            auto*& option = options[setting.key];
            const std::string help(setting.help);
            if (setting.options.empty()) {
                option = command.add_option("operations", operations, help);
            } else if (setting.kind == plan::SettingKind::toggle) {
                option = command.add_flag(std::string(setting.options), toggles[setting.key], help);
            } else {
                option = command.add_option(std::string(setting.options), texts[setting.key], help);
            }
            if (setting.kind != plan::SettingKind::toggle) {
                option->type_name(std::string(setting.value_name));
            }
        }
    }

    [[nodiscard]] bool any() const {
        return std::any_of(options.begin(), options.end(),
                           [](const auto& entry) { return entry.second->count() > 0; });
    }

    void apply_to(plan::Plan& plan) const {
        for (const auto& setting : plan::settings()) {
            const auto* option = options.at(setting.key);
            if (option->count() == 0) {
                continue;
            }
            const auto value = value_of(setting);
            try {
                setting.set(plan, value);
            } catch (const BadInput& mend) {
                // The refusal of an operation is a whole sentence of its own.
                throw setting.options.empty() ? mend
                                              : BadInput(fmt::format("{} is {}; {}.", option->get_name(),
                                                                     plan::quoted(value), mend.what()));
            }
        }
    }

  private:
    [[nodiscard]] plan::SettingValue value_of(const plan::Setting& setting) const {
        if (setting.options.empty()) {
            return operations;
        }
        if (setting.kind == plan::SettingKind::toggle) {
            return toggles.at(setting.key);
        }
        return texts.at(setting.key);
    }
};

struct Options {
    GivenSettings given;
    std::string plan_file;
    std::string preset;
    std::string resume;
    std::string collect;
    MeasureOptions measure;
};

plan::Plan plan_from(const Options& options) {
    plan::Plan plan;
    plan::apply_preset(plan, plan::default_preset);
    if (!options.preset.empty()) {
        plan::apply_preset(plan, options.preset);
    }
    if (!options.plan_file.empty()) {
        plan::read_plan(plan, read_file(options.plan_file), options.plan_file);
    }
    options.given.apply_to(plan);
    return plan;
}

ExitStatus run(const Options& options) {
    const bool names_plan = options.given.any() || !options.plan_file.empty() || !options.preset.empty();
    if (!options.resume.empty() && !options.collect.empty()) {
        throw BadInput("--resume and --collect exclude each other; give one.");
    }
    if (!options.resume.empty() || !options.collect.empty()) {
        if (names_plan) {
            throw BadInput(fmt::format("{} takes the stored plan; leave out operations and settings.",
                                       options.resume.empty() ? "--collect" : "--resume"));
        }
        return options.resume.empty() ? collect_journal(options.collect, options.measure)
                                      : resume_run(options.resume, options.measure);
    }
    return new_run(plan_from(options), options.measure);
}

}  // namespace

void add_run(CLI::App& app, Invocation& invocation) {
    const auto options = std::make_shared<Options>();
    auto* command = add_subcommand(app, "run", "Measure operations and store the result",
                                   "fathom run allreduce bcast -n 4 --sizes 8:64k --reps 2000",
                                   [options, &invocation] { invocation.status = run(*options); });
    options->measure.command_line = invocation.command_line;
    options->given.add_to(*command);
    command->add_option("--plan", options->plan_file, "take settings from a TOML file; options override them")
        ->type_name("FILE.toml");
    command->add_option("--preset", options->preset, "start from a preset ('fathom list presets' shows all)")
        ->type_name("NAME");
    command->add_option("--resume", options->resume, "go on with a run that was cut short")->type_name("RUN");
    command->add_option("--collect", options->collect, "store what a probe started by hand has measured")
        ->type_name("JOURNAL");
    add_db_option(*command, options->measure.db);
    command->add_flag("--json", options->measure.json, "one JSON document on stdout");
    command->add_flag("-q,--quiet", options->measure.quiet, "no progress");
    command->add_flag("--allow-run-as-root", options->measure.allow_root, "let Open MPI run as root");
}

}  // namespace fathom::cli
