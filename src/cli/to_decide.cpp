#include "cli/to_decide.hpp"

#include <algorithm>
#include <optional>
#include <unistd.h>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "cli/stored_run.hpp"
#include "launch/against.hpp"
#include "launch/job.hpp"
#include "launch/trust.hpp"
#include "plan/plan_toml.hpp"
#include "plan/settings.hpp"

namespace fathom::cli {
namespace {

plan::Plan plan_of(const RunReference& reference) {
    plan::Plan plan;
    plan::read_stored_plan(plan, reference.run.plan_toml, reference.run.id);
    return plan;
}

/// `-n` of `-n,--procs`.
std::string option_of(const plan::Setting& setting) {
    return std::string(setting.options.substr(0, setting.options.find(',')));
}

/// A setting as it is written on the command line.
std::vector<std::string> words_of(const plan::Setting& setting, const plan::Plan& plan) {
    const auto option = option_of(setting);
    const auto value = setting.get(plan);
    if (const auto* on = std::get_if<bool>(&value)) {
        return {*on ? option : "--no-" + option.substr(2)};
    }
    if (const auto* text = std::get_if<std::string>(&value)) {
        return {option, *text};
    }
    const auto* list = std::get_if<std::vector<std::string>>(&value);
    if (list == nullptr) {
        return {option, plan::quoted(value)};
    }
    if (setting.kind != plan::SettingKind::repeated) {
        return {option, fmt::format("{}", fmt::join(*list, ","))};
    }
    std::vector<std::string> words;
    for (const auto& item : *list) {
        words.insert(words.end(), {option, item});
    }
    return words;
}

/// Options that turn the first plan into the second. Nothing if that would mean unsetting one.
std::optional<std::vector<std::string>> options_of_second(const plan::Plan& first, const plan::Plan& second) {
    std::vector<std::string> words;
    if (first.scheme != second.scheme) {
        if (second.scheme.empty()) {
            return std::nullopt;
        }
        words.insert(words.end(), {"--scheme", second.scheme});
    }
    for (const auto& setting : plan::settings()) {
        const bool matters = setting.if_different == plan::IfDifferent::not_comparable ||
                             setting.scope == plan::SettingScope::starting;
        if (!matters || (setting.absent(first) && setting.absent(second))) {
            continue;
        }
        if (setting.absent(second)) {
            return std::nullopt;
        }
        // A scheme brings its own values of all but these.
        const bool overrides =
            first.scheme != second.scheme &&
            std::ranges::find(second.scheme_overrides, setting.key) != second.scheme_overrides.end();
        if (!setting.absent(first) && setting.get(first) == setting.get(second) && !overrides) {
            continue;
        }
        const auto more = words_of(setting, second);
        words.insert(words.end(), more.begin(), more.end());
    }
    return words;
}

/// What must precede a command so that the variables are as the second run had them: nothing if they are. The
/// first run is measured again with its own.
std::vector<std::string> environment_of_second(const RunReference& second, const plan::Plan& plan) {
    const auto stored = second.store.environment(second.run.id);
    if (!stored.contains("")) {
        return {};
    }
    std::size_t count = 0;
    while (environ[count] != nullptr) {
        ++count;
    }
    return launch::words_to_steer(launch::steering_variables({environ, count}),
                                  launch::given_variables(stored, plan));
}

}  // namespace

std::string command_to_decide(const RunReference& first, const RunReference& second,
                              std::string_view operation, const GateOptions& gate, const std::string& db) {
    const auto first_plan = plan_of(first);
    const auto second_plan = plan_of(second);
    const auto options = options_of_second(first_plan, second_plan);
    if (!options) {
        return "";
    }
    auto words = environment_of_second(second, second_plan);
    const auto add = [&](const std::vector<std::string>& more) {
        words.insert(words.end(), more.begin(), more.end());
    };
    const auto path = first.store.path().string();
    add({"fathom", "run", "--against",
         path == db ? fmt::format("{}", first.run.id) : fmt::format("{}:{}", path, first.run.id)});
    if (!operation.empty()) {
        add({std::string(operation)});
    }
    add(*options);
    if (!gate.fail_above.empty()) {
        add({"--fail-above", gate.fail_above});
    }
    if (!gate.negligible.empty()) {
        add({"--negligible", gate.negligible});
    }
    if (gate.allow_undecided) {
        add({"--allow-undecided"});
    }
    if (launch::is_foreign(first.store, first.run, launch::Use::plan_and_variables)) {
        add({"--trust-file"});
    }
    if (launch::refused_as_root(first_plan) || launch::refused_as_root(second_plan)) {
        add({"--allow-run-as-root"});
    }
    return shell_text(words) + db_hint(db);
}

}  // namespace fathom::cli
