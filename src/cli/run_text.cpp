#include "cli/run_text.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "report/clock_text.hpp"
#include "report/table.hpp"

namespace fathom::cli {

namespace {

/// One line on the clock under which the points were measured.
std::string clock_text(const analysis::RunResult& result) {
    if (!result.clock) {
        return {};
    }
    const auto& clock = *result.clock;
    auto text = clock.shared
                    ? fmt::format("\nStart skew on the one clock ({}) that all processes share.\n",
                                  result.run.time_source)
                    : fmt::format(
                          "\nStart skew on the global clock ({}, compared {} times by scheme {}), known to "
                          "{} or better.\n",
                          result.run.time_source, clock.synchronisations, clock.scheme,
                          time_text(static_cast<double>(clock.bound_ns)));
    if (!result.clock_check.empty()) {
        text += report::check_sentence(result.clock_check) + "\n";
    }
    return text;
}

}  // namespace

std::string run_text(const analysis::RunResult& result, const report::Terminal& terminal) {
    const auto& run = result.run;
    // MPICH's version string is a page long; its head says what it is.
    auto version = run.mpi_version.substr(0, run.mpi_version.find(';'));
    version = version.substr(0, version.find(", package"));
    std::string text = fmt::format("Run {}{}: {} with {} {}, {}\n\n", run.id,
                                   run.label.empty() ? "" : fmt::format(" ({})", run.label),
                                   version.empty() ? run.mpi_flavour : version, run.procs,
                                   run.procs == 1 ? "process" : "processes", run.created_utc);
    text += report::points_table(result.points, terminal);
    text += clock_text(result);
    if (!result.warnings.empty()) {
        text += "\nTo know\n";
        int number = 0;
        for (const auto& warning : result.warnings) {
            text += fmt::format("  {}. {}\n     Remedy: {}\n", ++number, warning.text, warning.remedy);
        }
    }
    return text;
}

std::string db_hint(const std::string& db) {
    return db == default_db ? std::string() : " --db " + shell_text({db});
}

}  // namespace fathom::cli
