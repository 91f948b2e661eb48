#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "base/error.hpp"

namespace fathom::cli {

/// What every sub-command is handed: the words it was called with, and a place for its ending.
struct Invocation {
    std::string command_line;
    ExitStatus status = ExitStatus::done;
};

inline constexpr const char* default_db = "fathom.db";

/// Adds a sub-command with an example in its help. `body` runs after unknown words were refused.
CLI::App* add_subcommand(CLI::App& app, const std::string& name, const std::string& help,
                         const std::string& example, std::function<void()> body);

/// Of an option that means something else when it is not given: an unset variable of a script must not switch
/// off what was asked for.
CLI::Validator not_empty();

/// Adds `--db FILE`.
void add_db_option(CLI::App& command, std::string& db);

// One function a sub-command, each in the file of its name.
void add_run(CLI::App& app, Invocation& invocation);
void add_list(CLI::App& app, Invocation& invocation);
void add_show(CLI::App& app, Invocation& invocation);
void add_report(CLI::App& app, Invocation& invocation);
void add_compare(CLI::App& app, Invocation& invocation);
void add_merge(CLI::App& app, Invocation& invocation);
void add_export(CLI::App& app, Invocation& invocation);
void add_clock(CLI::App& app, Invocation& invocation);
void add_doctor(CLI::App& app, Invocation& invocation);

}  // namespace fathom::cli
