#include "cli/command_line.hpp"

#include <memory>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"

namespace fathom::cli {
namespace {

/// `clock sync`: the words that lead to a command.
std::string path_of(const CLI::App& command) {
    const auto* above = command.get_parent();
    return above == nullptr || above->get_parent() == nullptr ? command.get_name()
                                                              : path_of(*above) + " " + command.get_name();
}

/// Unknown options get the nearest known one; words too many are named.
void refuse_extras(const CLI::App& command) {
    const auto extras = command.remaining();
    if (extras.empty()) {
        return;
    }
    const auto word = extras.front().substr(0, extras.front().find('='));
    if (!word.starts_with("-")) {
        throw BadInput(fmt::format("'{}' is one word too many. 'fathom {} --help' shows what it takes.", word,
                                   path_of(command)));
    }
    std::vector<std::string> known;
    for (const auto* option : command.get_options()) {
        for (const auto& name : option->get_lnames()) {
            known.push_back("--" + name);
        }
    }
    throw BadInput(fmt::format("no option '{}'.{} ('fathom {} --help' shows all.)", word,
                               did_you_mean(word, known), path_of(command)));
}

}  // namespace

CLI::App* add_subcommand(CLI::App& app, const std::string& name, const std::string& help,
                         const std::string& example, std::function<void()> body) {
    auto* command = app.add_subcommand(name, help);
    command->footer("\nExample:\n  " + example);
    command->allow_extras();
    command->callback([command, body = std::move(body)] {
        refuse_extras(*command);
        body();
    });
    return command;
}

CLI::Validator not_empty() {
    return {[](const std::string& value) {
                return std::string(value.empty() ? "is empty, give a value or leave it out" : "");
            },
            ""};
}

void add_db_option(CLI::App& command, std::string& db) {
    db = default_db;
    command.add_option("--db", db, "result file")->type_name("FILE")->capture_default_str();
}

}  // namespace fathom::cli
