#include "report/run_text.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/across_runs/measured_run.hpp"
#include "analysis/point/launches.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "plan/operations.hpp"
#include "plan/plan.hpp"
#include "report/clock_text.hpp"
#include "report/matrix_text.hpp"
#include "report/notes.hpp"
#include "report/overlap_text.hpp"
#include "report/paragraph.hpp"
#include "report/schemes_text.hpp"
#include "report/sentences/between_runs.hpp"
#include "report/sentences/measures.hpp"
#include "report/sentences/verdict.hpp"
#include "report/settings_text.hpp"
#include "report/switches_text.hpp"
#include "report/table.hpp"
#include "report/trace_text.hpp"

namespace fathom::report {
namespace {

double largest_bound(const analysis::RunResult& result) {
    double largest = 0;
    for (const auto& point : result.points) {
        largest = std::max(largest, point.clock_bound_ns.value_or(0));
    }
    return largest;
}

/// Where sizes are not those of each process's block.
std::string sizes_text(const analysis::RunResult& result) {
    const bool totals = std::any_of(result.points.begin(), result.points.end(),
                                    [](const auto& point) { return point.size_as == plan::SizeAs::total; });
    return totals ? "\nSizes of operations with a block for each process are totals over all processes "
                    "(--size-as total).\n"
                  : "";
}

/// A size next to a switch, which says how large the step is.
bool is_beside_switch(const analysis::RunResult& result, const plan::PointKey& key) {
    return std::ranges::any_of(result.switches, [&](const auto& at) {
        return is_in_curve_of(at, key) &&
               (key.size.count == at.found.last_below || key.size.count == at.found.first_above);
    });
}

/// The table of points. A terminal is spared what only narrowed a switch down.
std::string result_table(const analysis::RunResult& result, const Terminal& terminal) {
    const auto only_narrows = [&](const auto& point) {
        return point.purpose == plan::purpose_switch && !is_beside_switch(result, point.key);
    };
    const auto folded = terminal.table_columns > 0 ? std::ranges::count_if(result.points, only_narrows) : 0;
    if (folded == 0) {
        return points_table(result.points, terminal);
    }
    std::vector<analysis::PointResult> points;
    std::ranges::remove_copy_if(result.points, std::back_inserter(points), only_narrows);
    return points_table(points, terminal) +
           fitted(
               fmt::format("({} sizes that only narrowed switches down are left out; --wide shows them.)\n",
                           folded),
               terminal);
}

/// Who took part, where not all did together.
std::string participants_text(const analysis::RunResult& result) {
    const auto& settings = result.plan.operation;
    std::string text;
    if (!settings.ranks.empty()) {
        text += fmt::format("\nOnly ranks {} took part (--ranks).\n", fmt::join(settings.ranks, ","));
    }
    if (settings.groups > 1) {
        text += fmt::format(
            "\n{} groups measured simultaneously (--groups); a time is that of the slowest, 'procs' and "
            "rates "
            "are those of each.\n",
            settings.groups);
    }
    return text;
}

/// Results of points besides their times.
std::string measures_text(const analysis::RunResult& result) {
    std::string text;
    for (const auto& point : result.points) {
        if (point.overlap) {
            continue;  // in tables of their own
        }
        std::vector<std::string> sentences;
        for (const auto& measure : point.measures) {
            sentences.push_back(sentence(measure));
        }
        if (!sentences.empty()) {
            text += printable(fmt::format("{}: {}", to_text(point.key), fmt::join(sentences, "; "))) + "\n";
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
    auto text =
        clock.shared
            ? fmt::format(
                  "\nStart skew (first to last start of a repetition, median) is measured on the clock that "
                  "all processes share ({}).\n",
                  printable_name(result.run.time_source))
            : fmt::format(
                  "\nStart skew (first to last start of a repetition, median) is measured on the global "
                  "clock ({}, compared {} times by scheme "
                  "{}); the clock of every rank is known to {}.\n",
                  printable_name(result.run.time_source), clock.synchronisations,
                  printable_name(clock.scheme), time_text(largest_bound(result)));
    if (!clock.steady) {
        text += "The clocks did not drift evenly: a frequency changed or a clock was set during the run.\n";
    }
    if (!result.clock_check.empty()) {
        text += check_sentence(result.clock_check) + "\n";
    }
    return text;
}

/// What intervals are over, and by how much launches differ, if there were several.
std::string launches_text(const analysis::RunResult& result) {
    if (result.run.simulated) {
        return {};
    }
    std::vector<const analysis::PointResult*> points;
    bool timed = false;
    for (const auto& point : result.points) {
        timed = timed || (point.time_ns && point.time_ns->median_ci95);
        points.push_back(&point);
    }
    const auto scatter = analysis::scatter_of_launches(points);
    if (!scatter && timed && result.plan.runs.value_or(1) == 1) {
        return "\nOne launch: intervals are those of this launch; another one may differ by more (--runs 5 "
               "includes that).\n";
    }
    if (!scatter) {
        return {};
    }
    const auto between_runs = sentence_on(result.between_runs);
    return fmt::format(
        "\nIntervals are over launches, which differ by {:.2g} % (standard deviation, median of the "
        "points){}.\n",
        100 * *scatter, between_runs.empty() ? "" : ", and include " + between_runs);
}

/// How a progress thread was requested, if one was.
std::string progress_thread_text(const store::Store& store, const store::RunRow& run) {
    const auto thread = store.progress_thread(run.id);
    return thread.empty() ? thread : fmt::format("\nProgress thread: {}.\n", printable(thread));
}

/// The thread level, where it is not that of a plain program.
std::string thread_level_text(const plan::Plan& plan) {
    if (plan.thread_levels.size() != 1 || plan.thread_levels.front() == plan::ThreadLevel::single) {
        return {};
    }
    const auto level = to_text(plan.thread_levels.front());
    // A tree may need threads, so only the library itself can be measured at both levels.
    return fmt::format(
        "\nMPI was initialised at thread level {}; a program that calls MPI_Init may see shorter times "
        "(--thread-level single,{}{} compares them).\n",
        level, level, plan.trees.empty() ? "" : " without --via");
}

/// Why a run is not complete, if it is known.
std::string status_text(const store::RunRow& run) {
    return run.reason.empty() ? std::string()
                              : fmt::format("Status: {}, {}\n\n", to_text(run.status), printable(run.reason));
}

/// The verdict, if one was requested.
std::string verdict_text(const analysis::RunResult& result) {
    if (!result.verdict) {
        return {};
    }
    std::string text =
        result.verdict->accepted
            ? "\nVerdict: accepted. All data were correct, and no process, host or link stands out.\n"
            : fmt::format("\nVerdict: {}.\n", result.verdict->decided ? "not accepted" : "not decided");
    for (const auto& reason : verdict_reasons(*result.verdict)) {
        text += fmt::format("  - {}\n", printable(reason));
    }
    for (const auto& remark : verdict_remarks(*result.verdict)) {
        text += fmt::format("  (Note: {}.)\n", printable(remark));
    }
    return text;
}

}  // namespace

std::string tags_text(const std::map<std::string, std::string>& tags) {
    std::vector<std::string> words;
    for (const auto& [key, value] : tags) {
        words.push_back(printable_name(fmt::format("{}={}", key, value)));
    }
    return fmt::format("{}", fmt::join(words, ", "));
}

std::string run_text(const store::Store& store, const analysis::RunResult& result, const Terminal& terminal,
                     std::size_t most) {
    const auto& run = result.run;
    auto text = fmt::format("Run {}{}: {} with {} {}, {}\n\n", run.id,
                            run.label.empty() ? "" : fmt::format(" ({})", printable_name(run.label)),
                            printable_name(analysis::library_of(run)), run.procs,
                            run.procs == 1 ? "process" : "processes", printable_name(run.created_utc));
    text += run.tags.empty() ? "" : fmt::format("Tags: {}\n\n", tags_text(run.tags));
    text += status_text(run);
    text = fitted(text, terminal);
    text += switches_text(result.switches, terminal);
    text += result_table(result, terminal);
    text += settings_text(result.settings, terminal);
    if (result.schemes_compared) {
        text += schemes_text(analysis::compare_schemes(store, result), terminal);
    }
    text += matrix_text(result, terminal);
    text += overlap_text(result, terminal);
    const auto prose = participants_text(result) + sizes_text(result) + measures_text(result) +
                       trace_text(result) + launches_text(result) + thread_level_text(result.plan) +
                       progress_thread_text(store, run) + clock_text(result) + notes_text(result, most) +
                       verdict_text(result);
    return text + fitted(prose, terminal);
}

}  // namespace fathom::report
