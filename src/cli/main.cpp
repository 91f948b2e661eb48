#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "base/build_info.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "report/output.hpp"

namespace {

using namespace fathom;

int complain(const std::string& sentence, ErrorCategory category) {
    report::print(stderr, "fathom: {}\n", printable(sentence));
    return static_cast<int>(exit_status_of(category));
}

int run_program(int argc, char** argv) {
    cli::Invocation invocation{.command_line = shell_text({argv, argv + argc})};
    cli::CommandLine line("fathom measures and explains MPI communication",
                          "fathom run allreduce -n 4 --sizes 8:64k",
                          fmt::format("fathom {} ({})", build_info().version, build_info().commit));
    for (const auto add : {cli::add_run, cli::add_list, cli::add_show, cli::add_report, cli::add_compare,
                           cli::add_merge, cli::add_export, cli::add_clock, cli::add_tree, cli::add_tune,
                           cli::add_doctor, cli::add_label, cli::add_delete, cli::add_help}) {
        add(line.commands(), invocation);
    }
    return static_cast<int>(line.run(argc, argv, invocation));
}

}  // namespace

/// The one place where an error becomes a line and an exit status.
int main(int argc, char** argv) {
    std::signal(SIGXFSZ,
                SIG_IGN);  // a file that may not grow (ulimit -f) is an error of write(), with a message
    try {
        const int status = run_program(argc, argv);
        // Output that did not reach its reader is a failure, even if everything else succeeded.
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
            fail_to_write("to stdout", errno);
        }
        return status;
    } catch (const Error& error) {
        return complain(error.what(), error.category());
    } catch (const std::system_error& error) {  // what fmt throws where printf would return
        return complain(fmt::format("cannot write: {}", error.code().message()), ErrorCategory::unwritable);
    } catch (const std::exception& error) {
        return complain(fmt::format("unexpected: {}", error.what()), ErrorCategory::unexpected);
    }
}
