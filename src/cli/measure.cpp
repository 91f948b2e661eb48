#include "cli/measure.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "cli/job_progress.hpp"
#include "cli/stored_run.hpp"
#include "journal/json.hpp"
#include "launch/conclusion.hpp"
#include "launch/ending.hpp"
#include "launch/host_warnings.hpp"
#include "launch/interruption.hpp"
#include "launch/job.hpp"
#include "launch/lease.hpp"
#include "launch/measurement.hpp"
#include "launch/runs.hpp"
#include "launch/trust.hpp"
#include "report/curves.hpp"
#include "report/json.hpp"
#include "report/output.hpp"
#include "report/paragraph.hpp"
#include "report/run_text.hpp"

namespace fathom::cli {
namespace {

using launch::Outcome;

/// The point at which a run ended, in bytes as options take them: `alltoall, 262144 bytes, 64 processes`.
std::string where_text(const plan::PointKey& key) {
    return fmt::format("{}, {} bytes, {}{}", key.operation, key.size.count, plan::processes_text(key.procs),
                       plan::extras_text(key));
}

/// The message about a run on stderr besides its result; empty if there is none. `table` says which table has
/// reasons of points.
std::string complaint(const launch::Conclusion& conclusion, const Outcome& outcome, const store::Store& store,
                      std::int64_t run, bool complete, const std::string& hint, const std::string& table) {
    using Kind = launch::Conclusion::Kind;
    switch (conclusion.kind) {
        case Kind::done:
            return {};
        case Kind::points_failed:
            return fmt::format("{} of {} points failed; {} says why.", conclusion.failed, conclusion.points,
                               table);
        case Kind::clocks_wrong:
            return "the clocks exceeded their error bounds; 'fathom clock check' shows details.";
        case Kind::not_accepted:
            return "the machine is not accepted; the verdict says why.";
        case Kind::none_measured:
            return fmt::format("no point could be measured; {} says why.", table);
        case Kind::interrupted:
        case Kind::cut_short:
            break;
    }
    const auto where = outcome.open_point
                           ? " while measuring " + where_text(store.point(run, *outcome.open_point).key)
                       : complete          ? std::string(" after the last point")
                       : conclusion.ok > 0 ? std::string(" between two points")
                                           : std::string(" before the first point");
    const bool tried_again = outcome.blames_point() && outcome.open_point;
    const auto again = complete ? std::string()
                                : fmt::format(" 'fathom run --resume {}{}' goes on with the others{}.", run,
                                              hint, tried_again ? " and tries this one last" : "");
    return fmt::format("{}{}.\n        {} of {} points are stored in run {}.{}", printable(outcome.reason),
                       printable(where), conclusion.ok, conclusion.points, run, again);
}

/// Closes and prints a run; `outcome` is how its last job ended.
ExitStatus conclude(store::Store& store, std::int64_t run, const Outcome& outcome, const plan::Plan& plan,
                    const MeasureOptions& options, const PrintRun& print = {}) {
    const bool complete = launch::close_run(store, run, plan, outcome);
    const auto row = store.find_run(fmt::format("{}", run));
    const auto result = whole_run(store, row, {.quiet = options.quiet});
    const auto conclusion = launch::conclude(outcome, store.points(run), result);
    const auto hint = db_hint(options.db);
    if (print) {
        print(store, row);
    } else if (options.json) {
        report::print("{}", report::document(report::run_json(store, result)));
    } else if (conclusion.ok > 0 || outcome.kind == Outcome::Kind::done) {
        const auto terminal = report::Terminal::of(STDOUT_FILENO, options.wide);
        report::print("{}{}\nStored as run {} in {}. Charts: fathom report {}{}\n",
                      report::run_text(store, result, terminal),
                      options.plot ? report::fitted(report::curves_text(result), terminal) : "", run,
                      options.db, run, hint);
    }
    std::fflush(stdout);
    const auto table = print ? fmt::format("'fathom show {}{}'", run, hint) : std::string("the table");
    if (const auto text = complaint(conclusion, outcome, store, run, complete, hint, table); !text.empty()) {
        report::print(stderr, "fathom: {}\n", text);
    }
    return status_of_reading(store, conclusion.status());
}

void say_without_locks(const store::Store& store) {
    if (store.without_locks()) {
        report::print(stderr, "note: the file system of {} has no working locks; {}.lock is used instead.\n",
                      printable(store.path().string()), printable(store.path().string()));
    }
}

/// What a job left behind is looked for beside the result file alone.
void say_foreign_journal(const store::Store& store, std::int64_t run) {
    const auto job = store.last_job(run);
    const auto own = launch::journal_of_run(store.path(), run);
    if (job && job->state == store::JobState::running && job->journal != own.string()) {
        report::print(stderr, "note: run {} names the journal {}; only {} is read.\n", run,
                      printable(shell_text({job->journal})), printable(own.string()));
    }
}

}  // namespace

std::vector<Option> add_progress_options(const Command& command, MeasureOptions& options) {
    const auto quiet = command.flag("-q,--quiet", options.quiet, "no progress");
    const auto verbose =
        command.flag("-v,--verbose", options.verbose, "progress with a line for every point").excludes(quiet);
    return {quiet, verbose};
}

ExitStatus new_run(plan::Plan plan, const MeasureOptions& options, const PrintRun& print) {
    auto resolved = launch::resolve(std::move(plan), options.allow_root);
    const launch::PlannedRun planned{resolved.plan, plan::points_of(resolved.plan, resolved.procs)};
    auto store = store::Store::open_or_create(options.db);
    say_without_locks(store);
    launch::catch_interruptions();
    const auto run = launch::create_run(store, planned, options.command_line);
    launch::mark_as_own(store, run);
    for (const auto& remark : resolved.remarks) {
        store.put_warning(run, remark);
    }
    JobProgress progress(store, options);
    launch::Measurement measurement(store, std::move(resolved), run, progress);
    const auto outcome = measurement.measure();
    launch::mark_variables(store, run);
    return conclude(store, run, outcome, measurement.plan(), options, print);
}

ExitStatus resume_run(const std::string& name, const MeasureOptions& options) {
    auto store = store::Store::open_to_change(options.db);
    say_without_locks(store);
    launch::catch_interruptions();
    const auto run = store.find_run(name, store::Last::of_all).id;
    launch::own_run(
        store, run,
        {.pause = {}, .interrupted = launch::interrupted, .say = [&](const std::string& sentence) {
             if (!options.quiet) {
                 report::print(stderr, "{}\n", printable(sentence));
             }
         }});
    // As its owner we read it: nobody changes it from now on.
    const auto row = store.find_run(fmt::format("{}", run));
    if (!options.trust_file) {
        launch::refuse_foreign_run(store, row, launch::Use::plan);
    }
    say_foreign_journal(store, row.id);
    auto resolved = launch::resolve(launch::plan_to_resume(store, row), options.allow_root);
    JobProgress progress(store, options);
    launch::Measurement measurement(store, std::move(resolved), row.id, progress);
    const auto outcome = measurement.resume();
    if (outcome) {
        launch::mark_variables(store, row.id);
    }
    if (!outcome && !options.quiet) {
        report::print(stderr, "Run {} is complete; there is nothing left to measure.\n", row.id);
    }
    return conclude(store, row.id, outcome.value_or(Outcome{}), measurement.plan(), options);
}

ExitStatus collect_journal(const std::string& journal, const MeasureOptions& options) {
    const auto planned = launch::planned_in(journal);
    auto store = store::Store::open_or_create(options.db);
    say_without_locks(store);
    const auto run = launch::create_run(store, planned, options.command_line);
    const auto warn = [&] {
        for (const auto& warning : launch::warn_of_hosts(store, run)) {
            if (const auto line = warning_line(warning); !line.empty()) {
                report::print(stderr, "{}\n", printable(line));
            }
        }
    };
    const auto outcome = launch::collect(store, run, journal, {.environment_known = warn});
    if (!outcome.losses.empty() && !options.quiet) {
        report::print(stderr, "note: {}. What could be read is stored.\n", printable(outcome.losses));
    }
    return conclude(store, run, outcome, planned.plan, options);
}

}  // namespace fathom::cli
