#include "cli/run_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "report/clock_text.hpp"
#include "report/table.hpp"

namespace fathom::cli {

namespace {

/// One line on the clock under which the points were measured.
std::string clock_text(const analysis::RunResult& result) {
    double bound = -1;
    for (const auto& point : result.points) {
        bound = std::max(bound, point.clock_bound_ns.value_or(-1));
    }
    if (bound < 0 || result.run.procs < 2 || result.run.simulated) {
        return {};
    }
    auto text = fmt::format("\nStart skew on the global clock (source {}), which is known to {} or better.\n",
                            result.run.time_source, time_text(bound));
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
