#include "cli/measure.hpp"

#include <algorithm>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/build_info.hpp"
#include "cli/job_progress.hpp"
#include "cli/run_text.hpp"
#include "journal/journal.hpp"
#include "launch/ending.hpp"
#include "launch/host_warnings.hpp"
#include "launch/interruption.hpp"
#include "launch/measurement.hpp"
#include "plan/grid.hpp"
#include "plan/plan_toml.hpp"
#include "report/json.hpp"

namespace fathom::cli {
namespace {

namespace fs = std::filesystem;
using launch::Outcome;

/// Prints the run and turns it into an exit status; `outcome` is how its last job ended.
ExitStatus conclude(store::Store& store, std::int64_t run, const Outcome& outcome, const plan::Plan& plan,
                    const MeasureOptions& options) {
    const auto stored = store.points(run);
    const auto count = [&](const char* status) {
        return std::count_if(stored.begin(), stored.end(),
                             [&](const auto& point) { return point.status == status; });
    };
    const bool open = !launch::close_run(store, run, plan, outcome);
    const bool interrupted = outcome.kind == Outcome::Kind::interrupted;

    const auto result = whole_run(store, store.find_run(fmt::format("{}", run)), {.quiet = options.quiet});
    const auto hint = db_hint(options.db);
    if (options.json) {
        fmt::print("{}", report::document(report::run_json(store, result)));
    } else if (count("ok") > 0 || outcome.kind == Outcome::Kind::done) {
        fmt::print(
            "{}\nStored as run {} in {}. See it again: fathom show {}{}\nAs a page: fathom report {}{}\n",
            run_text(store, result, report::Terminal::of(STDOUT_FILENO)), run, options.db, run, hint, run,
            hint);
    }
    std::fflush(stdout);
    if (outcome.kind != Outcome::Kind::done) {
        const auto where =
            outcome.open_point
                ? " while measuring " + launch::spec_of(store.point(run, *outcome.open_point)).text()
            : !open           ? std::string(" after the last point")
            : count("ok") > 0 ? std::string(" between two points")
                              : std::string(" before the first point");
        const auto again =
            open ? fmt::format(" 'fathom run --resume {}{}' goes on with the others{}.", run, hint,
                               interrupted || !outcome.open_point ? "" : " and tries this one last")
                 : std::string();
        fmt::print(stderr, "fathom: {}{}.\n        {} of {} points are stored in run {}.{}\n", outcome.reason,
                   where, count("ok"), stored.size(), run, again);
        return interrupted ? ExitStatus::interrupted : ExitStatus::not_measured;
    }
    if (count("failed") > 0) {
        fmt::print(stderr, "fathom: {} of {} points failed; the table says why.\n", count("failed"),
                   stored.size());
        return ExitStatus::not_measured;
    }
    const bool clock_held = std::all_of(result.clock_check.begin(), result.clock_check.end(),
                                        [](const auto& moment) { return moment.holds; });
    if (!clock_held) {
        fmt::print(stderr,
                   "fathom: the clocks are worse than they claim; 'fathom clock check' tells more.\n");
        return ExitStatus::check_failed;
    }
    if (result.verdict && !result.verdict->accepted) {
        fmt::print(stderr, "fathom: the machine is not accepted; the verdict says why.\n");
        return ExitStatus::check_failed;
    }
    if (count("ok") == 0 && !stored.empty()) {
        fmt::print(stderr, "fathom: no point could be measured; the table says why.\n");
        return ExitStatus::not_measured;
    }
    return ExitStatus::done;
}

/// A new run of a plan whose processes and flavour are settled.
store::RunRow row_of(const plan::Plan& plan, const MeasureOptions& options) {
    store::RunRow row;
    row.label = plan.label;
    row.plan_toml = plan::write_plan(plan);
    row.procs = plan::most_procs(plan);
    row.mpi_flavour = to_text(plan.mpi);
    row.command_line = options.command_line;
    row.fathom_version = build_info().version;
    row.fathom_commit = build_info().commit;
    return row;
}

void say_without_locks(const store::Store& store) {
    if (store.without_locks()) {
        fmt::print(stderr,
                   "note: the file system of {} has no working locks; it is held by {}.lock meanwhile.\n",
                   store.path().string(), store.path().string());
    }
}

}  // namespace

ExitStatus new_run(plan::Plan plan, const MeasureOptions& options) {
    auto resolved = launch::resolve(std::move(plan), options.allow_root);
    const auto points = plan::points_of(resolved.plan, resolved.procs);
    auto store = store::Store::open_or_create(options.db);
    say_without_locks(store);
    launch::catch_interruptions();
    const auto run = store.create_run(row_of(resolved.plan, options), points);
    JobProgress progress(store, options.quiet);
    launch::Measurement measurement(store, std::move(resolved), run, progress);
    return conclude(store, run, measurement.measure(), measurement.plan(), options);
}

ExitStatus resume_run(const std::string& name, const MeasureOptions& options) {
    if (!fs::exists(options.db)) {
        store::Store::open(options.db);  // says what is missing
    }
    auto store = store::Store::open_or_create(options.db);
    say_without_locks(store);
    const auto row = store.find_run(name);
    if (const auto job = store.last_job(row.id); job && launch::is_watched(*job)) {
        throw BadInput(fmt::format("run {} is still being measured by process {}; wait for it.", row.id,
                                   job->supervisor_pid));
    }
    plan::Plan plan;
    plan::read_plan(plan, row.plan_toml, fmt::format("plan of run {}", row.id));
    auto resolved = launch::resolve(std::move(plan), options.allow_root);
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
    if (!fs::exists(journal)) {
        throw BadInput(
            fmt::format("no journal {}; the probe writes it beside its plan as PLAN.toml.journal.", journal));
    }
    journal::Reader reader(journal);
    const auto first = reader.next();
    const auto* info = first ? std::get_if<journal::JobInfo>(&*first) : nullptr;
    if (info == nullptr) {
        throw BadInput(fmt::format("{} holds no results; did the probe get to start?", journal));
    }
    plan::Plan plan;
    plan::read_plan(plan, info->plan_toml, journal);
    plan.procs = plan.procs.empty() ? std::vector{fmt::format("{}", info->procs)} : plan.procs;
    plan.mpi = from_text<plan::Flavour>(info->mpi_flavour);
    const auto points = plan::points_of(plan, info->procs);
    auto store = store::Store::open_or_create(options.db);
    say_without_locks(store);
    const auto run = store.create_run(row_of(plan, options), points);
    store.create_job(run, "started by hand", fs::absolute(journal).string());
    const auto warn = [&] {
        for (const auto& warning : launch::warn_of_hosts(store, run)) {
            if (const auto line = warning_line(warning); !line.empty()) {
                fmt::print(stderr, "{}\n", line);
            }
        }
    };
    const auto outcome = launch::take_over(store, run, store.last_job(run).value(),
                                           "the probe did not come to its end", {.environment_known = warn});
    return conclude(store, run, outcome, plan, options);
}

}  // namespace fathom::cli
