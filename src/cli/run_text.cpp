#include "cli/run_text.hpp"

#include <algorithm>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/samples/disturbance.hpp"
#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "plan/operations.hpp"
#include "report/clock_text.hpp"
#include "report/matrix_text.hpp"
#include "report/overlap_text.hpp"
#include "report/progress.hpp"
#include "report/schemes_text.hpp"
#include "report/table.hpp"

namespace fathom::cli {
namespace {

double largest_bound(const analysis::RunResult& result) {
    double largest = 0;
    for (const auto& point : result.points) {
        largest = std::max(largest, point.clock_bound_ns.value_or(0));
    }
    return largest;
}

std::size_t disturbed_points(const analysis::RunResult& result) {
    return static_cast<std::size_t>(
        std::count_if(result.points.begin(), result.points.end(), [](const auto& point) {
            return std::any_of(point.warnings.begin(), point.warnings.end(), [](const auto& warning) {
                return warning.starts_with(analysis::disturbed_words);
            });
        }));
}

/// The few things that matter most.
std::vector<std::string> findings(const analysis::RunResult& result) {
    constexpr std::size_t most = 5;
    std::vector<std::string> notes;
    for (std::size_t i = 0; i < std::min(most, result.insights.size()); ++i) {
        const auto& insight = result.insights[i];
        notes.push_back(insight.text + (insight.kind == "disturbed" ? "; --json says when at each." : "."));
        if (!insight.remedy.empty()) {
            notes.back() += "\n     Remedy: " + insight.remedy;
        }
    }
    return notes;
}

/// What to know, of the run and of its points; many points may have the same to say.
std::string to_know(const analysis::RunResult& result) {
    constexpr std::size_t most = 12;
    auto notes = findings(result);
    for (const auto& at : result.switches) {
        const auto text = analysis::switch_sentence(at);
        if (std::none_of(notes.begin(), notes.end(),
                         [&](const auto& note) { return note.starts_with(text); })) {
            notes.push_back(text + ".");
        }
    }
    if (result.switches_sought && result.switches.empty()) {
        notes.emplace_back("No protocol or algorithm switch was found between the sizes.");
    }
    for (const auto& warning : result.warnings) {
        notes.push_back(fmt::format("{}\n     Remedy: {}", warning.text, warning.remedy));
    }
    const bool sweep = std::any_of(result.points.begin(), result.points.end(), [&](const auto& point) {
        return point.procs != result.points.front().procs;
    });
    const auto disturbed = disturbed_points(result);
    constexpr std::size_t few = 2;
    const bool told = std::any_of(result.insights.begin(), result.insights.end(),
                                  [](const auto& insight) { return insight.kind == "disturbed"; });
    if (disturbed > few && !told) {
        notes.push_back(fmt::format(
            "The machine was disturbed while {} of {} points were measured; --json says when at each.\n     "
            "Remedy: wait until other programs are done, or ask the batch system for the whole node",
            disturbed, result.points.size()));
    }
    for (const auto& point : result.points) {
        for (const auto& warning : point.warnings) {
            if (disturbed > few && warning.starts_with(analysis::disturbed_words)) {
                continue;
            }
            notes.push_back(fmt::format("{}, {}{}{}{}: {}", point.operation, to_text(point.size),
                                        sweep ? fmt::format(", {} processes", point.procs) : "",
                                        point.scheme.empty() ? "" : ", " + point.scheme,
                                        point.progress.empty() ? "" : ", progress " + point.progress,
                                        warning));
        }
    }
    std::string text = notes.empty() ? "" : "\nTo know\n";
    for (std::size_t i = 0; i < std::min(most, notes.size()); ++i) {
        text += fmt::format("  {}. {}\n", i + 1, notes[i]);
    }
    if (notes.size() > most) {
        text += fmt::format("  and {} more of the kind, all in --json\n", notes.size() - most);
    }
    return text;
}

/// Where sizes are not those of each process's block.
std::string sizes_text(const analysis::RunResult& result) {
    const bool totals = std::any_of(result.points.begin(), result.points.end(),
                                    [](const auto& point) { return point.size_as == plan::SizeAs::total; });
    return totals ? "\nSizes of operations with a block for each process are the total of all (--size-as "
                    "total).\n"
                  : "";
}

/// What points tell besides their times.
std::string measures_text(const analysis::RunResult& result) {
    std::string text;
    for (const auto& point : result.points) {
        if (point.overlap) {
            continue;  // in tables of their own
        }
        std::vector<std::string> sentences;
        for (const auto& measure : point.measures) {
            sentences.push_back(measure.text);
        }
        if (!sentences.empty()) {
            text += fmt::format("{}{}, {} {}: {}\n", point.operation,
                                plan::find_operation(point.operation).sized ? ", " + to_text(point.size) : "",
                                point.procs, point.procs == 1 ? "process" : "processes",
                                fmt::join(sentences, "; "));
        }
    }
    return text.empty() ? text : "\n" + text;
}

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
                          "\nStart skew on the global clock ({}, compared {} times by scheme {}); every "
                          "rank's part of it is known to {}.\n",
                          result.run.time_source, clock.synchronisations, clock.scheme,
                          time_text(largest_bound(result)));
    if (!clock.steady) {
        text += "The clocks did not drift evenly: a frequency changed or a clock was set meanwhile.\n";
    }
    if (!result.clock_check.empty()) {
        text += report::check_sentence(result.clock_check) + "\n";
    }
    return text;
}

/// What lies between starts and what within them, where there were several.
std::string starts_text(const analysis::RunResult& result) {
    std::vector<double> shares;
    for (const auto& point : result.points) {
        if (point.trials && point.time_ns && point.time_ns->variance > 0) {
            shares.push_back(point.trials->variance_between_ns2 / point.time_ns->variance);
        }
    }
    if (shares.empty()) {
        return {};
    }
    std::sort(shares.begin(), shares.end());
    return fmt::format(
        "\nSeveral starts: intervals are over starts. Of the variance, {:.0f} % (median of the points) lies "
        "between starts.\n",
        100 * shares[shares.size() / 2]);
}

/// How the library was asked for a progress thread, where it was.
std::string progress_thread_text(const store::Store& store, const store::RunRow& run) {
    const auto told = store.progress_thread(run.id);
    return told.empty() ? told : fmt::format("\nProgress thread: {}.\n", told);
}

/// The last word, where one was asked for.
std::string verdict_text(const analysis::RunResult& result) {
    if (!result.verdict) {
        return {};
    }
    std::string text =
        result.verdict->accepted
            ? "\nVerdict: accepted. All data were right, and no process, host or link stands out.\n"
            : "\nVerdict: not accepted.\n";
    for (const auto& reason : result.verdict->reasons) {
        text += fmt::format("  - {}\n", reason);
    }
    for (const auto& remark : result.verdict->remarks) {
        text += fmt::format("  (But {}.)\n", remark);
    }
    return text;
}

}  // namespace

analysis::RunResult whole_run(const store::Store& store, const store::RunRow& run, const Reading& reading) {
    const auto total = static_cast<int>(store.points(run.id).size());
    report::Progress progress(report::Terminal::of(STDERR_FILENO), total, reading.quiet);
    int done = 0;
    auto result = analysis::evaluate(
        store, run, reading.view,
        {.asked = analysis::Asked::all(), .visit = [&](const auto& point, const auto&) {
             progress.reached(++done, fmt::format("reading {} {}", point.operation, to_text(point.size)));
         }});
    for (auto& point : result.points) {
        point.analyses.keep_only(reading.asked);
    }
    return result;
}

std::string run_text(const store::Store& store, const analysis::RunResult& result,
                     const report::Terminal& terminal) {
    const auto& run = result.run;
    // MPICH's version string is a page long; its head says what it is.
    auto version = run.mpi_version.substr(0, run.mpi_version.find(';'));
    version = version.substr(0, version.find(", package"));
    std::string text = fmt::format("Run {}{}: {} with {} {}, {}\n\n", run.id,
                                   run.label.empty() ? "" : fmt::format(" ({})", run.label),
                                   version.empty() ? run.mpi_flavour : version, run.procs,
                                   run.procs == 1 ? "process" : "processes", run.created_utc);
    text += report::points_table(result.points, terminal);
    if (result.schemes_compared) {
        text += report::schemes_text(analysis::compare_schemes(store, result), terminal);
    }
    text += report::matrix_text(result, terminal);
    text += report::overlap_text(result, terminal);
    text += sizes_text(result);
    text += measures_text(result);
    text += starts_text(result);
    text += progress_thread_text(store, run);
    text += clock_text(result);
    return text + to_know(result) + verdict_text(result);
}

std::string db_hint(const std::string& db) {
    return db == default_db ? std::string() : " --db " + shell_text({db});
}

}  // namespace fathom::cli
