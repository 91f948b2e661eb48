#include "cli/command_line.hpp"

#include <algorithm>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "plan/settings.hpp"
#include "plan/trace_setting.hpp"
#include "report/output.hpp"
#include "report/paragraph.hpp"

namespace fathom::cli {
namespace {

/// Help whose descriptions stand beside the names, on lines that fit the terminal.
class FittedHelp : public CLI::Formatter {
  public:
    std::string make_option(const CLI::Option* option, bool positional) const override {
        return described(make_option_name(option, positional) + make_option_opts(option),
                         make_option_desc(option));
    }
    std::string make_subcommand(const CLI::App* command) const override {
        return described(command->get_name(), command->get_description());
    }
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
        auto text = CLI::Formatter::make_help(app, std::move(name), mode);
        for (auto at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n", at)) {
            text.erase(at, 1);
        }
        return text;
    }
    std::string make_description(const CLI::App* app) const override {
        return report::fitted(CLI::Formatter::make_description(app), terminal());
    }
    std::string make_footer(const CLI::App* app) const override {
        return report::fitted(CLI::Formatter::make_footer(app), terminal());
    }

  private:
    static report::Terminal terminal() {
        auto terminal = report::Terminal::of(STDOUT_FILENO);
        terminal.table_columns = terminal.columns;
        return terminal;
    }

    static std::string described(const std::string& name, const std::string& text) {
        constexpr std::size_t column = 26;
        const auto indented = report::fitted(std::string(column, ' ') + text, terminal());
        const auto begin = "  " + name;
        return begin.size() + 2 <= column ? begin + indented.substr(begin.size()) : begin + "\n" + indented;
    }
};

/// `clock sync`: the words that lead to a command.
std::string path_of(const CLI::App& command) {
    const auto* above = command.get_parent();
    return above == nullptr || above->get_parent() == nullptr ? command.get_name()
                                                              : path_of(*above) + " " + command.get_name();
}

/// `fathom tree optimize`: what the words so far have led to.
std::string command_parsed(const CLI::App& program) {
    const auto* command = &program;
    while (!command->get_subcommands().empty()) {
        command = command->get_subcommands().back();
    }
    return command == &program ? program.get_name() : program.get_name() + " " + path_of(*command);
}

std::vector<std::string> names_of_subcommands(const CLI::App& command) {
    std::vector<std::string> names;
    for (const auto* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(sub->get_name());
    }
    return names;
}

/// Suggests the nearest known option for an unknown one; names an unexpected argument.
void refuse_extras(const CLI::App& command) {
    const auto extras = command.remaining();
    if (extras.empty()) {
        return;
    }
    const auto word = extras.front().substr(0, extras.front().find('='));
    if (!word.starts_with("-")) {
        throw BadInput(fmt::format("unexpected argument '{}'. 'fathom {} --help' shows what it takes.", word,
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

/// A group alone, or with an unknown subcommand.
void refuse_without_subcommand(const CLI::App& group, const std::string& kind) {
    if (!group.get_subcommands().empty()) {
        return;
    }
    const auto known = names_of_subcommands(group);
    const auto words = group.remaining();
    throw BadInput(
        words.empty()
            ? fmt::format("a subcommand is missing: fathom {} {}.", group.get_name(), fmt::join(known, ", "))
            : fmt::format("no {} '{}'.{} ('fathom {} --help' shows all.)", kind, words.front(),
                          did_you_mean(words.front(), known), group.get_name()));
}

/// `--trace` alone means all calls. What follows is its value only if it can be one: it may be an operation.
void complete_trace(std::vector<std::string>& given) {
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (given[i] == "--trace" && (i + 1 == given.size() || !plan::is_trace_value(given[i + 1]))) {
            given[i] = "--trace=all";
        }
    }
}

/// What `--help-all` shows beyond `--help`.
void fold_options(CLI::App& app) {
    int folded = 0;
    for (auto* const option : app.get_options()) {
        const auto& group = option->get_group();
        const bool shown = group.empty() || group == app.option_defaults()->get_group() ||
                           group == title_of(plan::SettingTopic::output);
        if (!option->get_positional() && !shown) {
            option->group("");
            ++folded;
        }
    }
    if (folded > 0) {
        app.footer(fmt::format("\n{} more options, by topic: fathom {} --help-all\n{}", folded, path_of(app),
                               app.get_footer()));
    }
    for (auto* const command : app.get_subcommands([](const auto* /*any*/) { return true; })) {
        fold_options(*command);
    }
}

}  // namespace

Option Option::value_name(const std::string& name) const {
    option_->type_name(name);
    return *this;
}

Option Option::with_default() const {
    option_->capture_default_str();
    return *this;
}

Option Option::required() const {
    option_->required();
    return *this;
}

Option Option::not_empty() const {
    option_->check(CLI::Validator(
        [](const std::string& value) {
            return std::string(value.empty() ? "is empty; give a value or omit it" : "");
        },
        ""));
    return *this;
}

Option Option::repeatable() const {
    option_->allow_extra_args(false);
    return *this;
}

Option Option::below(std::string_view title) const {
    option_->group(std::string(title));
    return *this;
}

Option Option::between(std::int64_t lowest, std::int64_t highest) const {
    option_->check(CLI::Range(lowest, highest));
    return *this;
}

Option Option::excludes(const Option& other) const {
    option_->excludes(other.option_);
    return *this;
}

bool Option::given() const {
    return option_->count() > 0;
}

std::string Option::name() const {
    // CLI11 has no name for what help leaves out.
    const auto& names = option_->get_lnames();
    return names.empty() ? option_->get_name() : "--" + names.front();
}

Option Command::option(const std::string& names, std::string& value, const std::string& help) const {
    return Option(*app_->add_option(names, value, help));
}

Option Command::option(const std::string& names, std::vector<std::string>& value,
                       const std::string& help) const {
    return Option(*app_->add_option(names, value, help));
}

Option Command::option(const std::string& names, int& value, const std::string& help) const {
    return Option(*app_->add_option(names, value, help));
}

Option Command::option(const std::string& names, std::int64_t& value, const std::string& help) const {
    return Option(*app_->add_option(names, value, help));
}

Option Command::flag(const std::string& names, bool& value, const std::string& help) const {
    return Option(*app_->add_flag(names, value, help));
}

Option Command::db_option(std::string& db) const {
    db = default_db;
    return option("--db", db, "result file").value_name("FILE").with_default();
}

void Command::add_footer(const std::string& text) const {
    app_->footer(app_->get_footer() + "\n\n" + text);
}

Command Command::subcommand(const std::string& name, const std::string& help, const std::string& example,
                            std::function<void()> body) const {
    auto* command = app_->add_subcommand(name, help);
    command->footer("\nExample:\n  " + example);
    command->allow_extras();
    command->callback([command, body = std::move(body)] {
        if (!command->get_subcommands().empty()) {
            return;  // one of its own was given instead
        }
        refuse_extras(*command);
        body();
    });
    return Command(*command);
}

Command Command::group(const std::string& name, const std::string& help, const std::string& example,
                       const std::string& kind) const {
    auto* command = app_->add_subcommand(name, help);
    command->footer(
        fmt::format("\nExample:\n  {}\n'fathom {} COMMAND --help' shows its options.", example, name));
    command->allow_extras();
    command->callback([command, kind] { refuse_without_subcommand(*command, kind); });
    return Command(*command);
}

CommandLine::CommandLine(const std::string& summary, const std::string& example, const std::string& version)
    : app_(std::make_unique<CLI::App>(summary, "fathom")) {
    app_->footer("\nExample:\n  " + example + "\n'fathom COMMAND --help' shows its options.");
    app_->formatter(std::make_shared<FittedHelp>());
    app_->set_version_flag("-V,--version", version);
    app_->allow_extras();
}

CommandLine::~CommandLine() = default;

Command CommandLine::commands() const {
    return Command(*app_);
}

ExitStatus CommandLine::run(int argc, char** argv, const Invocation& invocation) {
    std::vector<std::string> given(argv + 1, argv + argc);
    // Launchers have taught everyone -np, which would be -n with the value p.
    std::replace(given.begin(), given.end(), std::string("-np"), std::string("-n"));
    complete_trace(given);
    const auto commands = names_of_subcommands(*app_);
    if (given.size() > 1 && given.front() == "help" &&
        std::ranges::find(commands, given[1]) != commands.end()) {
        given.erase(given.begin());
        given.emplace_back("--help");
    }
    const auto all = std::ranges::find(given, "--help-all");
    if (all == given.end()) {
        fold_options(*app_);
    } else {
        *all = "--help";
    }
    std::reverse(given.begin(), given.end());  // as CLI11 wants words
    try {
        app_->parse(given);
    } catch (const CLI::Success& help) {
        app_->exit(help);
        return ExitStatus::done;
    } catch (const CLI::ParseError& error) {
        throw BadInput(
            fmt::format("{}. '{} --help' shows how it is used.", error.what(), command_parsed(*app_)));
    }
    if (!app_->get_subcommands().empty()) {
        return invocation.status;
    }
    const auto words = app_->remaining();
    if (words.empty()) {
        report::print(stderr, "{}", app_->help());
        return ExitStatus::bad_input;
    }
    throw BadInput(fmt::format("no command '{}'.{} ('fathom --help' shows all.)", words.front(),
                               did_you_mean(words.front(), names_of_subcommands(*app_))));
}

}  // namespace fathom::cli
