#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/build_info.hpp"
#include "base/text.hpp"
#include "cli/command_line.hpp"

namespace {

using namespace fathom;

int complain(const std::string& sentence, ExitStatus status) {
    fmt::print(stderr, "fathom: {}\n", sentence);
    return static_cast<int>(status);
}

int run_program(int argc, char** argv) {
    cli::Invocation invocation{.command_line = shell_text({argv, argv + argc})};
    CLI::App app{"fathom measures, explains and tunes MPI communication", "fathom"};
    app.footer("\nExample:\n  fathom run allreduce -n 4 --sizes 8:64k\n'fathom COMMAND --help' tells more.");
    app.set_version_flag("--version",
                         fmt::format("fathom {} ({})", build_info().version, build_info().commit));
    app.allow_extras();
    cli::add_run(app, invocation);
    cli::add_list(app, invocation);
    cli::add_show(app, invocation);
    cli::add_report(app, invocation);
    cli::add_compare(app, invocation);
    cli::add_merge(app, invocation);
    cli::add_export(app, invocation);
    cli::add_clock(app, invocation);
    cli::add_doctor(app, invocation);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& error) {
        return complain(std::string(error.what()) + ". 'fathom --help' shows how it is used.",
                        ExitStatus::bad_input);
    }
    if (!app.get_subcommands().empty()) {
        return static_cast<int>(invocation.status);
    }
    const auto words = app.remaining();
    if (words.empty()) {
        fmt::print(stderr, "{}", app.help());
        return static_cast<int>(ExitStatus::bad_input);
    }
    std::vector<std::string> known;
    for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        known.push_back(command->get_name());
    }
    return complain(fmt::format("no command '{}'.{} ('fathom --help' shows all.)", words.front(),
                                did_you_mean(words.front(), known)),
                    ExitStatus::bad_input);
}

}  // namespace

/// The one place where an error becomes a line and an exit status.
int main(int argc, char** argv) {
    try {
        const int status = run_program(argc, argv);
        // Output that did not reach its reader is a failure, whatever went before.
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
            return complain(fmt::format("cannot write to stdout: {}", std::strerror(errno)),
                            ExitStatus::not_measured);
        }
        return status;
    } catch (const Error& error) {
        return complain(error.what(), error.status());
    } catch (const std::system_error& error) {  // what fmt throws where printf would return
        return complain(fmt::format("cannot write: {}", error.code().message()), ExitStatus::not_measured);
    } catch (const std::exception& error) {
        return complain(fmt::format("unexpected: {}", error.what()), ExitStatus::not_measured);
    }
}
