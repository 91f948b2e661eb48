#include "cli/measure.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "analysis/doctor.hpp"
#include "analysis/point_result.hpp"
#include "base/build_info.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/run_text.hpp"
#include "journal/journal.hpp"
#include "launch/collector.hpp"
#include "launch/interruption.hpp"
#include "launch/job.hpp"
#include "launch/supervisor.hpp"
#include "machine/facts.hpp"
#include "plan/grid.hpp"
#include "plan/plan_toml.hpp"
#include "plan/progress_thread.hpp"
#include "report/json.hpp"
#include "report/progress.hpp"
#include "store/store.hpp"

namespace fathom::cli {
namespace {

namespace fs = std::filesystem;
using launch::Outcome;

/// Findings of the doctor on every host of the job, into the store; the serious ones as lines too.
void diagnose_hosts(store::Store& store, std::int64_t run,
                    const std::function<void(const std::string&)>& say) {
    const auto environment = store.environment(run);
    const auto ranks = store.ranks(run);
    const auto job = environment.find("");
    std::vector<analysis::HostState> hosts;
    for (const auto& [host, facts] : environment) {
        if (host.empty() || facts.contains("simulated")) {
            continue;
        }
        auto& state = hosts.emplace_back(analysis::HostState{host, facts, {}, ""});
        if (job != environment.end() && job->second.contains("build_type")) {
            state.build_type = job->second.at("build_type");
        }
        for (const auto& rank : ranks) {
            if (rank.host == host) {
                state.ranks.push_back({rank.rank, rank.binding});
            }
        }
    }
    // Another start of the run finds the same again, with other figures at most.
    const auto known = store.warnings(run);
    const auto host_of = [](const store::WarningRow& warning) { return split(warning.text, ':').front(); };
    for (const auto& finding : analysis::diagnose(hosts)) {
        const bool told = std::any_of(known.begin(), known.end(), [&](const auto& other) {
            return other.code == finding.code && host_of(other) == host_of(finding);
        });
        if (told) {
            continue;
        }
        store.put_warning(run, finding);
        if (finding.severity == "serious") {
            say(fmt::format("warning: {} Remedy: {}", finding.text, finding.remedy));
        }
    }
}

/// One line a point for streams that show no bar.
std::string end_text(const analysis::PointResult& result) {
    return result.time_ns && result.status == "ok" ? "median " + time_text(result.time_ns->median)
                                                   : fmt::format("{}: {}", result.status, result.reason);
}

plan::PointSpec spec_of(const store::PointRow& point) {
    return {.index = point.position,
            .operation = point.operation,
            .pattern = point.pattern,
            .procs = point.procs,
            .size = point.size,
            .scheme = point.scheme,
            .purpose = point.purpose,
            .progress = point.progress};
}

/// What one job measures: a start of the whole, and of its points those with one kind of progress, which the
/// library is asked for when it starts.
struct Part {
    int trial = 0;
    std::string progress;  ///< as PointSpec::progress

    [[nodiscard]] bool has(const store::PointRow& point) const {
        return point.trial == trial && point.progress == progress;
    }
};

/// The parts of one start, in the order of their first points.
std::vector<Part> parts_of(const std::vector<store::PointRow>& points, int trial) {
    std::vector<Part> parts;
    for (const auto& point : points) {
        const bool known =
            std::any_of(parts.begin(), parts.end(), [&](const auto& part) { return part.has(point); });
        if (point.trial == trial && !known) {
            parts.push_back({.trial = trial, .progress = point.progress});
        }
    }
    return parts;
}

/// Points of a part still to be measured: those not tried yet first, those that ended a job last.
std::vector<plan::PointSpec> open_points(const std::vector<store::PointRow>& points, const plan::Plan& plan,
                                         const Part& part) {
    const auto with = [&](const char* status) {
        std::vector<plan::PointSpec> found;
        for (const auto& point : points) {
            if (part.has(point) && point.status == status) {
                found.push_back(spec_of(point));
            }
        }
        return found;
    };
    auto order = plan::in_order(plan, with("pending"), part.trial);
    const auto last = with("died");
    order.insert(order.end(), last.begin(), last.end());
    return order;
}

/// Whether points are found on the way.
bool searches(const plan::Plan& plan) {
    return plan.locate_switches || !plan::size_grid(plan.sizes).refined.empty() ||
           !plan::process_grid(plan.procs).refined.empty();
}

/// Whether the first start may find more points than it has: it came to no regular end.
bool still_searching(const store::Store& store, std::int64_t run, const plan::Plan& plan) {
    const auto points = store.points(run);
    const auto job = store.last_job(run);
    return searches(plan) && !points.empty() && points.back().trial == 0 && (!job || job->outcome != "done");
}

/// Whether nothing is left to measure.
bool complete(const store::Store& store, std::int64_t run, const plan::Plan& plan) {
    const auto points = store.points(run);
    const bool open = std::any_of(points.begin(), points.end(), [](const auto& point) {
        return point.status == "pending" || point.status == "died";
    });
    return !open && !points.empty() && points.back().trial + 1 >= plan.runs.value_or(1) &&
           !still_searching(store, run, plan);
}

/// What is said before a job starts that asks for a progress thread.
std::string progress_thread_text(const launch::Ground& ground) {
    std::vector<std::string> settings;
    for (const auto& [name, value] : plan::progress_variables(ground.plan.mpi)) {
        settings.push_back(fmt::format("{}={}", name, value));
    }
    std::vector<std::string> remarks;
    if (const auto remark = plan::progress_thread_remark(ground.plan.mpi); !remark.empty()) {
        remarks.emplace_back(remark);
    }
    if (ground.plan.launcher.empty() &&
        !launch::has_cores_for_progress(ground.procs, machine::usable_cores())) {
        remarks.emplace_back("it shares the core of its process, as there are not two for each");
    }
    return fmt::format("progress thread: {}{}{}", fmt::join(settings, " "), remarks.empty() ? "" : "; ",
                       fmt::join(remarks, "; "));
}

class Measurement {
  public:
    Measurement(store::Store& store, launch::Ground ground, std::int64_t run, const MeasureOptions& options)
        : store_(store), ground_(std::move(ground)), run_(run), options_(options) {}

    /// Measures what is left of the run, one start of the job after the other, until one does not come to its
    /// end.
    Outcome measure() {
        for (int trial = 0; trial < starts(); ++trial) {
            prepare_trial(trial);
            for (const auto& part : parts_of(store_.points(run_), trial)) {
                const auto outcome = measure(part);
                if (outcome.kind != Outcome::Kind::done) {
                    return outcome;
                }
            }
        }
        return {};
    }

    /// Takes over what an earlier job left in its journal when its supervisor was killed.
    void recover(const store::JobRow& job) {
        const auto points = store_.points(run_);
        launch::Collector collector(store_, run_, points.empty() ? 0 : points.back().trial, job.id,
                                    job.journal, {});
        collector.advance();
        mark({.kind = Outcome::Kind::died,
              .reason = "fathom was killed",
              .open_point = collector.open_point()});
        store_.end_job(job.id, "fathom was killed");
        std::error_code ignored;
        fs::remove(job.journal, ignored);
    }

    [[nodiscard]] const plan::Plan& plan() const { return ground_.plan; }

  private:
    [[nodiscard]] std::int64_t starts() const { return ground_.plan.runs.value_or(1); }

    /// Later starts measure the same points as the first, with those it found on the way.
    void prepare_trial(int trial) {
        const auto points = store_.points(run_);
        const bool there = std::any_of(points.begin(), points.end(),
                                       [&](const auto& point) { return point.trial == trial; });
        if (there) {
            return;
        }
        std::vector<plan::PointSpec> same;
        for (const auto& point : points) {
            if (point.trial == 0) {
                same.push_back(spec_of(point));
                same.back().index = points.back().position + static_cast<int>(same.size());
            }
        }
        store_.add_points(run_, trial, same);
    }

    /// Measures what is left of a part.
    Outcome measure(const Part& part) {
        const auto order = open_points(store_.points(run_), ground_.plan, part);
        const bool searching = part.trial == 0 && still_searching(store_, run_, ground_.plan);
        return order.empty() && !searching ? Outcome{} : start(part, order);
    }

    /// Starts a job for points in this order and marks the one that ended it, if any.
    Outcome start(const Part& part, const std::vector<plan::PointSpec>& order) {
        const launch::JobFiles files(store_.path().string() + fmt::format(".run{}", run_),
                                     ground_.platform.has_value());
        plan::Job work;
        work.points = order;
        work.next_index = store_.points(run_).back().position + 1;
        work.refining = part.trial == 0;
        work.known = known(part);
        work.progress = part.progress;
        const auto command = launch::prepare(ground_, files, work);
        const auto job = store_.create_job(run_, shell_text(command.words), files.journal.string());
        try {
            auto outcome = watch(command, part, job, files.journal, order);
            mark(outcome);
            remember_remark(outcome);
            store_.end_job(job, outcome.reason.empty() ? "done" : outcome.reason);
            fs::remove(files.journal);
            return outcome;
        } catch (const Error& error) {
            store_.end_job(job, error.what());
            throw;
        }
    }

    /// What earlier jobs of a part have measured, for refinement to go on from.
    [[nodiscard]] std::vector<plan::KnownPoint> known(const Part& part) const {
        std::vector<plan::KnownPoint> found;
        for (const auto& point : store_.points(run_)) {
            const bool open = point.status == "pending" || point.status == "died";
            if (!part.has(point) || open || !searches(ground_.plan)) {
                continue;
            }
            const auto result = analysis::evaluate_times(store_, point);
            const bool timed = point.status == "ok" && result.time_ns && result.time_ns->median_ci95;
            const stats::Interval interval =
                timed ? *result.time_ns->median_ci95 : stats::Interval{.low = 0, .high = 0};
            found.push_back({.point = spec_of(point),
                             .measured = timed,
                             .median_ns = timed ? result.time_ns->median : 0,
                             .low_ns = interval.low,
                             .high_ns = interval.high});
        }
        return found;
    }

    Outcome watch(const launch::Command& command, const Part& part, std::int64_t job, const fs::path& journal,
                  const std::vector<plan::PointSpec>& order) {
        report::Progress progress(report::Terminal::of(STDERR_FILENO), static_cast<int>(order.size()),
                                  options_.quiet);
        if (starts() > 1 && !options_.quiet) {
            progress.say(fmt::format("start {} of {}", part.trial + 1, starts()));
        }
        if (part.progress == plan::progress_thread && !options_.quiet) {
            progress.say(progress_thread_text(ground_));
        }
        std::map<int, plan::PointSpec> specs;
        for (const auto& point : order) {
            specs[point.index] = point;
        }
        launch::Collector collector(
            store_, run_, part.trial, job, journal,
            {.environment_known =
                 [&] { diagnose_hosts(store_, run_, [&](const auto& line) { progress.say(line); }); },
             .point_added =
                 [&](const plan::PointSpec& point) {
                     specs[point.index] = point;
                     progress.grow();
                 },
             .point_begun = [&](int position) { progress.begin(specs.at(position)); },
             .point_ended =
                 [&](const journal::PointEnd& end) {
                     const auto stored = store_.point(run_, end.index);
                     progress.end(specs.at(end.index), end_text(analysis::evaluate_times(store_, stored)));
                 }});
        return launch::supervise(
            command, collector, std::chrono::seconds(ground_.plan.point_timeout_s), launch::interrupted,
            [&] { return store_.ranks(run_); }, [&] { progress.tick(); });
    }

    void remember_remark(const Outcome& outcome) {
        if (!outcome.remark.empty()) {
            store_.put_warning(run_,
                               {"note", "ending", outcome.remark + " after all points were measured.",
                                "none is needed for these results; look at the MPI library's MPI_Finalize"});
        }
    }

    /// A point that ended the job gets a second chance on resume; after that it has failed for good.
    void mark(const Outcome& outcome) {
        if (!outcome.open_point || outcome.kind == Outcome::Kind::done) {
            return;
        }
        const auto point = store_.point(run_, *outcome.open_point);
        if (outcome.kind == Outcome::Kind::interrupted) {
            store_.mark_point(run_, point.position, "pending", "interrupted while being measured", false);
        } else {
            store_.mark_point(run_, point.position, point.deaths > 0 ? "failed" : "died", outcome.reason,
                              true);
        }
    }

    store::Store& store_;
    launch::Ground ground_;
    std::int64_t run_;
    const MeasureOptions& options_;
};

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

    const auto result = whole_run(store, store.find_run(fmt::format("{}", run)));
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
