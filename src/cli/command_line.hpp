#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

// CLI11 is behind this: only command_line.cpp includes it, which takes seconds to compile.
namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
class Option;
}  // namespace CLI

namespace fathom::cli {

/// What every sub-command gets: its command line, and a place for its exit status.
struct Invocation {
    std::string command_line;
    ExitStatus status = ExitStatus::done;
};

inline constexpr const char* default_db = "fathom.db";

/// An option, a flag or a positional argument of a command, with its attributes.
class Option {
  public:
    explicit Option(CLI::Option& option) : option_(&option) {}

    /// What help calls its value: `FILE`.
    Option value_name(const std::string& name) const;
    /// Its help shows the value that the variable has now.
    Option with_default() const;
    Option required() const;
    /// For an option that means something else when it is absent: an unset variable of a script must not
    /// silently disable what was requested.
    Option not_empty() const;
    /// May be given several times, each time with one value.
    Option repeatable() const;
    /// `--help-all` shows it below this title; `--help` does so with those of SettingTopic::output alone.
    Option below(std::string_view title) const;
    Option between(std::int64_t lowest, std::int64_t highest) const;
    /// One of the two is refused beside the other.
    Option excludes(const Option& other) const;

    [[nodiscard]] bool given() const;
    [[nodiscard]] std::string name() const;

  private:
    CLI::Option* option_;
};

/// A sub-command while it is put together. Values go into variables that must outlive the program's parsing.
class Command {
  public:
    explicit Command(CLI::App& app) : app_(&app) {}

    /// `names` is `-o,--output`, or a word without a dash for a positional one.
    Option option(const std::string& names, std::string& value, const std::string& help) const;
    Option option(const std::string& names, std::vector<std::string>& value, const std::string& help) const;
    Option option(const std::string& names, int& value, const std::string& help) const;
    Option option(const std::string& names, std::int64_t& value, const std::string& help) const;
    Option flag(const std::string& names, bool& value, const std::string& help) const;
    /// `--db FILE`
    Option db_option(std::string& db) const;
    /// One more paragraph below its help.
    void add_footer(const std::string& text) const;

    /// A sub-command with an example in its help. `body` runs after unknown words were refused.
    [[nodiscard]] Command subcommand(const std::string& name, const std::string& help,
                                     const std::string& example, std::function<void()> body) const;
    /// A sub-command that needs one of its own sub-commands, each of which is a `kind`: `study`.
    [[nodiscard]] Command group(const std::string& name, const std::string& help, const std::string& example,
                                const std::string& kind) const;

  private:
    CLI::App* app_;
};

/// The whole program: its commands, its help and its version.
class CommandLine {
  public:
    CommandLine(const std::string& summary, const std::string& example, const std::string& version);
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;
    ~CommandLine();

    [[nodiscard]] Command commands() const;
    /// Runs the given command, or prints help or version; returns the exit status. Throws BadInput for
    /// arguments that are not understood.
    ExitStatus run(int argc, char** argv, const Invocation& invocation);

  private:
    std::unique_ptr<CLI::App> app_;
};

// One function per sub-command, each in the file of its name.
void add_run(const Command& program, Invocation& invocation);
void add_list(const Command& program, Invocation& invocation);
void add_show(const Command& program, Invocation& invocation);
void add_report(const Command& program, Invocation& invocation);
void add_compare(const Command& program, Invocation& invocation);
void add_merge(const Command& program, Invocation& invocation);
void add_export(const Command& program, Invocation& invocation);
void add_clock(const Command& program, Invocation& invocation);
void add_tree(const Command& program, Invocation& invocation);
void add_tune(const Command& program, Invocation& invocation);
void add_doctor(const Command& program, Invocation& invocation);
void add_help(const Command& program, Invocation& invocation);
void add_label(const Command& program, Invocation& invocation);
void add_delete(const Command& program, Invocation& invocation);

}  // namespace fathom::cli
