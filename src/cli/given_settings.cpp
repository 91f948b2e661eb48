#include "cli/given_settings.hpp"

#include <algorithm>
#include <array>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "plan/presets.hpp"
#include "plan/unknown_name.hpp"

namespace fathom::cli {
namespace {

std::string default_text(const plan::SettingValue& value) {
    if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
        return fmt::format("{}", fmt::join(*list, ","));
    }
    if (const auto* text = std::get_if<std::string>(&value)) {
        return *text;
    }
    return plan::quoted(value);
}

plan::Plan usual_plan() {
    plan::Plan plan;
    plan::apply_preset(plan, plan::default_preset);
    return plan;
}

}  // namespace

bool GivenSettings::Given::is_there() const {
    return option->given() || (opposite && opposite->given());
}

plan::SettingValue GivenSettings::Given::value(const plan::Setting& setting) const {
    if (setting.options.empty() || setting.kind == plan::SettingKind::repeated) {
        return words;
    }
    return opposite ? plan::SettingValue(on && !off) : plan::SettingValue(text);
}

void GivenSettings::add_all(const Command& command) {
    const auto defaults = usual_plan();
    for (const auto& setting : plan::settings()) {
        add(command, setting, std::string(setting.options), defaults);
    }
}

void GivenSettings::add_for_clock(const Command& command) {
    constexpr std::string_view prefix = "--clock-";
    const auto defaults = usual_plan();
    for (const auto& setting : plan::settings()) {
        if (setting.scope != plan::SettingScope::measuring) {
            const bool prefixed = setting.options.starts_with(prefix);
            add(command, setting,
                prefixed ? fmt::format("--{}", setting.options.substr(prefix.size()))
                         : std::string(setting.options),
                defaults);
        }
    }
}

void GivenSettings::add_for_implementations(const Command& command, const plan::Plan& defaults) {
    for (const auto& setting : plan::settings()) {
        if (setting.key != "via") {
            add(command, setting, setting.options.empty() ? "--op" : std::string(setting.options), defaults);
        }
    }
}

void GivenSettings::add_for_tuning(const Command& command, const plan::Plan& defaults) {
    constexpr auto taken = std::to_array<std::string_view>({"label",     "tags",          "operations",
                                                            "procs",     "sizes",         "precision_percent",
                                                            "min_reps",  "max_reps",      "reps",
                                                            "warmup",    "root",          "cache",
                                                            "runs",      "budget_s",      "over_ranks",
                                                            "over_reps", "seed",          "verify",
                                                            "type",      "reduce_op",     "point_timeout_s",
                                                            "clock",     "mpi",           "platform",
                                                            "launcher",  "ranks_per_host"});
    for (const auto& setting : plan::settings()) {
        if (std::ranges::find(taken, setting.key) != taken.end()) {
            add(command, setting,
                setting.key == "over_reps" ? "--metric,--over-reps" : std::string(setting.options), defaults);
        }
    }
}

void GivenSettings::add(const Command& command, const plan::Setting& setting, const std::string& options,
                        const plan::Plan& defaults) {
    auto& given = given_[setting.key];
    std::string help(setting.help);
    if (options.empty()) {
        given.option = command.option("operations", given.words, help);
    } else if (setting.options.empty()) {
        help += fmt::format("; may be repeated (default {})", default_text(setting.get(defaults)));
        given.option = command.option(options, given.words, help).repeatable();
    } else if (setting.kind == plan::SettingKind::toggle) {
        given.option = command.flag(options, given.on, help);
        given.opposite =
            command.flag("--no-" + options.substr(2), given.off, fmt::format("disable {}", options));
        if (setting.topic != plan::SettingTopic::usual) {
            (void)given.option->below(title_of(setting.topic));
        }
        (void)given.opposite->below(title_of(setting.topic));
        return;
    } else if (setting.kind == plan::SettingKind::repeated) {
        given.option = command.option(options, given.words, help).repeatable();
    } else {
        if (!setting.absent(defaults) && help.find("(default") == std::string::npos) {
            help += fmt::format(" (default {})", default_text(setting.get(defaults)));
        }
        given.option = command.option(options, given.text, help);
    }
    (void)given.option->value_name(std::string(setting.value_name));
    if (!options.empty() && setting.topic != plan::SettingTopic::usual) {
        (void)given.option->below(title_of(setting.topic));
    }
}

bool GivenSettings::any() const {
    return std::any_of(given_.begin(), given_.end(),
                       [](const auto& entry) { return entry.second.is_there(); });
}

bool GivenSettings::has(std::initializer_list<std::string_view> keys) const {
    return std::any_of(keys.begin(), keys.end(), [&](std::string_view key) {
        const auto given = given_.find(key);
        return given != given_.end() && given->second.is_there();
    });
}

void GivenSettings::apply_to(plan::Plan& plan) const {
    for (const auto& setting : plan::settings()) {
        const auto given = given_.find(setting.key);
        if (given == given_.end() || !given->second.is_there()) {
            continue;
        }
        const auto value = given->second.value(setting);
        try {
            setting.give(plan, value);
        } catch (const plan::UnknownName&) {  // says which name of a list it is
            throw;
        } catch (const BadInput& error) {
            throw BadInput(fmt::format("{} is {}; {}.", given->second.option->name(), plan::quoted(value),
                                       error.what()));
        }
    }
}

}  // namespace fathom::cli
