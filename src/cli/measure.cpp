#include "cli/measure.hpp"

#include <algorithm>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/build_info.hpp"
#include "base/file.hpp"
#include "cli/measurement.hpp"
#include "cli/run_text.hpp"
#include "journal/journal.hpp"
#include "launch/collector.hpp"
#include "launch/interruption.hpp"
#include "machine/facts.hpp"
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
    const bool open = !complete(store, run, plan);
    const bool interrupted = outcome.kind == Outcome::Kind::interrupted;
    store.set_run_status(run, !open ? "done" : interrupted ? "interrupted" : "failed");

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
        const auto where = outcome.open_point
                               ? " while measuring " + spec_of(store.point(run, *outcome.open_point)).text()
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
    row.mpi_flavour = plan.mpi;
    row.command_line = options.command_line;
    row.fathom_version = build_info().version;
    row.fathom_commit = build_info().commit;
    return row;
}

/// Whether a process of this host is another fathom: after a reboot a number may belong to anything.
bool is_fathom(std::int64_t pid) {
    const auto name_of = [](const std::string& process) {
        return read_file_or_empty("/proc/" + process + "/comm");
    };
    const auto name = name_of(fmt::format("{}", pid));
    return pid != ::getpid() && !name.empty() && name == name_of("self");
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
    auto ground = launch::settle(std::move(plan), options.allow_root);
    const auto points = plan::points_of(ground.plan, ground.procs);
    auto store = store::Store::open_or_create(options.db);
    say_without_locks(store);
    launch::catch_interruptions();
    const auto run = store.create_run(row_of(ground.plan, options), points);
    Measurement measurement(store, std::move(ground), run, options);
    try {
        const auto outcome = measurement.measure();
        return conclude(store, run, outcome, measurement.plan(), options);
    } catch (const Error&) {
        store.set_run_status(run, "failed");
        throw;
    }
}

ExitStatus resume_run(const std::string& name, const MeasureOptions& options) {
    if (!fs::exists(options.db)) {
        store::Store::open(options.db);  // says what is missing
    }
    auto store = store::Store::open_or_create(options.db);
    say_without_locks(store);
    const auto row = store.find_run(name);
    const auto job = store.last_job(row.id);
    if (job && job->outcome.empty()) {
        if (job->supervisor_host == machine::host_name() && is_fathom(job->supervisor_pid)) {
            throw BadInput(fmt::format("run {} is still being measured by process {}; wait for it.", row.id,
                                       job->supervisor_pid));
        }
    }
    plan::Plan plan;
    plan::read_plan(plan, row.plan_toml, fmt::format("plan of run {}", row.id));
    auto ground = launch::settle(std::move(plan), options.allow_root);
    launch::catch_interruptions();
    Measurement measurement(store, std::move(ground), row.id, options);
    if (job && job->outcome.empty()) {
        measurement.recover(*job);
    }
    Outcome outcome;
    if (!complete(store, row.id, measurement.plan())) {
        outcome = measurement.measure();
    } else if (!options.quiet) {
        fmt::print(stderr, "Run {} is complete; there is nothing left to measure.\n", row.id);
    }
    return conclude(store, row.id, outcome, measurement.plan(), options);
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
    plan.mpi = info->mpi_flavour;
    const auto points = plan::points_of(plan, info->procs);
    auto store = store::Store::open_or_create(options.db);
    say_without_locks(store);
    const auto run = store.create_run(row_of(plan, options), points);
    const auto job = store.create_job(run, "started by hand", fs::absolute(journal).string());
    launch::Collector collector(
        store, run, 0, job, journal, {.environment_known = [&] {
            diagnose_hosts(store, run, [](const auto& line) { fmt::print(stderr, "{}\n", line); });
        }});
    collector.advance();
    Outcome outcome;
    if (!collector.complete()) {
        outcome = {.kind = Outcome::Kind::died,
                   .reason = "the probe did not come to its end",
                   .open_point = collector.open_point()};
        if (collector.open_point()) {
            store.mark_point(run, *collector.open_point(), "died", outcome.reason, true);
        }
    }
    store.end_job(job, outcome.reason.empty() ? "done" : outcome.reason);
    return conclude(store, run, outcome, plan, options);
}

}  // namespace fathom::cli
