#include "cli/measure.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include "cli/job_progress.hpp"
#include "cli/stored_run.hpp"
#include "journal/json.hpp"
#include "launch/conclusion.hpp"
#include "launch/ending.hpp"
#include "launch/host_warnings.hpp"
#include "launch/interruption.hpp"
#include "launch/measurement.hpp"
#include "launch/runs.hpp"
#include "report/json.hpp"
#include "report/run_text.hpp"

namespace fathom::cli {
namespace {

using launch::Outcome;

/// The point at which a run ended, in bytes as options take them: `alltoall, 262144 bytes, 64 processes`.
std::string where_text(const plan::PointKey& key) {
    return fmt::format("{}, {} bytes, {}{}", key.operation, key.size.count, plan::processes_text(key.procs),
                       plan::extras_text(key));
}

/// The message about a run on stderr besides its result; empty if there is none.
std::string complaint(const launch::Conclusion& conclusion, const Outcome& outcome, const store::Store& store,
                      std::int64_t run, bool complete, const std::string& hint) {
    using Kind = launch::Conclusion::Kind;
    switch (conclusion.kind) {
        case Kind::done:
            return {};
        case Kind::points_failed:
            return fmt::format("{} of {} points failed; the table says why.", conclusion.failed,
                               conclusion.points);
        case Kind::clocks_wrong:
            return "the clocks exceeded their error bounds; 'fathom clock check' shows details.";
        case Kind::not_accepted:
            return "the machine is not accepted; the verdict says why.";
        case Kind::none_measured:
            return "no point could be measured; the table says why.";
        case Kind::interrupted:
        case Kind::cut_short:
            break;
    }
    const auto where = outcome.open_point
                           ? " while measuring " + where_text(store.point(run, *outcome.open_point).key)
                       : complete          ? std::string(" after the last point")
                       : conclusion.ok > 0 ? std::string(" between two points")
                                           : std::string(" before the first point");
    const bool tried_again = conclusion.kind == Kind::cut_short && outcome.open_point;
    const auto again = complete ? std::string()
                                : fmt::format(" 'fathom run --resume {}{}' goes on with the others{}.", run,
                                              hint, tried_again ? " and tries this one last" : "");
    return fmt::format("{}{}.\n        {} of {} points are stored in run {}.{}", outcome.reason, where,
                       conclusion.ok, conclusion.points, run, again);
}

/// Closes and prints a run; `outcome` is how its last job ended.
ExitStatus conclude(store::Store& store, std::int64_t run, const Outcome& outcome, const plan::Plan& plan,
                    const MeasureOptions& options) {
    const bool complete = launch::close_run(store, run, plan, outcome);
    const auto result = whole_run(store, store.find_run(fmt::format("{}", run)), {.quiet = options.quiet});
    const auto conclusion = launch::conclude(outcome, store.points(run), result);
    const auto hint = db_hint(options.db);
    if (options.json) {
        fmt::print("{}", report::document(report::run_json(store, result)));
    } else if (conclusion.ok > 0 || outcome.kind == Outcome::Kind::done) {
        fmt::print(
            "{}\nStored as run {} in {}. See it again: fathom show {}{}\nAs a page: fathom report {}{}\n",
            report::run_text(store, result, report::Terminal::of(STDOUT_FILENO)), run, options.db, run, hint,
            run, hint);
    }
    std::fflush(stdout);
    if (const auto text = complaint(conclusion, outcome, store, run, complete, hint); !text.empty()) {
        fmt::print(stderr, "fathom: {}\n", text);
    }
    return conclusion.status();
}

void say_without_locks(const store::Store& store) {
    if (store.without_locks()) {
        fmt::print(stderr, "note: the file system of {} has no working locks; {}.lock is used instead.\n",
                   store.path().string(), store.path().string());
    }
}

}  // namespace

ExitStatus new_run(plan::Plan plan, const MeasureOptions& options) {
    auto resolved = launch::resolve(std::move(plan), options.allow_root);
    const launch::PlannedRun planned{resolved.plan, plan::points_of(resolved.plan, resolved.procs)};
    auto store = store::Store::open_or_create(options.db);
    say_without_locks(store);
    launch::catch_interruptions();
    const auto run = launch::create_run(store, planned, options.command_line);
    for (const auto& remark : resolved.remarks) {
        store.put_warning(run, remark);
    }
    JobProgress progress(store, options.quiet);
    launch::Measurement measurement(store, std::move(resolved), run, progress);
    return conclude(store, run, measurement.measure(), measurement.plan(), options);
}

ExitStatus resume_run(const std::string& name, const MeasureOptions& options) {
    auto store = store::Store::open_to_change(options.db);
    say_without_locks(store);
    const auto row = store.find_run(name, store::Last::of_all);
    auto resolved = launch::resolve(launch::plan_to_resume(store, row), options.allow_root);
    launch::catch_interruptions();
    JobProgress progress(store, options.quiet);
    launch::Measurement measurement(store, std::move(resolved), row.id, progress);
    const auto outcome = measurement.resume();
    if (!outcome && !options.quiet) {
        fmt::print(stderr, "Run {} is complete; there is nothing left to measure.\n", row.id);
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
                fmt::print(stderr, "{}\n", line);
            }
        }
    };
    const auto outcome = launch::collect(store, run, journal, {.environment_known = warn});
    return conclude(store, run, outcome, planned.plan, options);
}

}  // namespace fathom::cli
