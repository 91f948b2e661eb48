#include <algorithm>
#include <map>
#include <memory>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.hpp"
#include "cli/command_line.hpp"
#include "cli/measure.hpp"
#include "plan/plan_toml.hpp"
#include "plan/presets.hpp"
#include "plan/settings.hpp"

namespace fathom::cli {
namespace {

/// The plan settings as they were given on the command line.
class GivenSettings {
  public:
    /// Adds an option for every row of the table of settings; `--X` comes with `--no-X` where X is on or off.
    void add_to(CLI::App& command) {
        plan::Plan defaults;
        plan::apply_preset(defaults, plan::default_preset);
        for (const auto& setting : plan::settings()) {
            auto& given = given_[setting.key];
            const std::string options(setting.options);
            std::string help(setting.help);
            if (options.empty()) {
                given.option = command.add_option("operations", given.words, help);
            } else if (setting.kind == plan::SettingKind::toggle) {
                given.option = command.add_flag(options, given.on, help);
                given.opposite = command.add_flag("--no-" + options.substr(2), given.off, "leave that out");
                continue;
            } else {
                if (!setting.absent(defaults)) {
                    help += fmt::format(" (default {})", default_text(setting.get(defaults)));
                }
                given.option = command.add_option(options, given.text, help);
            }
            given.option->type_name(std::string(setting.value_name));
        }
    }

    [[nodiscard]] bool any() const {
        return std::any_of(given_.begin(), given_.end(),
                           [](const auto& entry) { return entry.second.is_there(); });
    }

    void apply_to(plan::Plan& plan) const {
        for (const auto& setting : plan::settings()) {
            const auto& given = given_.at(setting.key);
            if (!given.is_there()) {
                continue;
            }
            const auto value = given.value(setting);
            try {
                setting.set(plan, value);
            } catch (const BadInput& mend) {
                // The refusal of an operation is a whole sentence of its own.
                throw setting.options.empty()
                    ? mend
                    : BadInput(fmt::format("{} is {}; {}.", given.option->get_name(), plan::quoted(value),
                                           mend.what()));
            }
        }
    }

  private:
    struct Given {
        CLI::Option* option = nullptr;
        CLI::Option* opposite = nullptr;  // of a toggle
        bool on = false;
        bool off = false;
        std::string text;
        std::vector<std::string> words;

        [[nodiscard]] bool is_there() const {
            return option->count() > 0 || (opposite != nullptr && opposite->count() > 0);
        }
        [[nodiscard]] plan::SettingValue value(const plan::Setting& setting) const {
            if (setting.options.empty()) {
                return words;
            }
            return opposite != nullptr ? plan::SettingValue(on && !off) : plan::SettingValue(text);
        }
    };

    static std::string default_text(const plan::SettingValue& value) {
        if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
            return fmt::format("{}", fmt::join(*list, ","));
        }
        return plan::quoted(value);
    }

    std::map<std::string_view, Given> given_;
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
