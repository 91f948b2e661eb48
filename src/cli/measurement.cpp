#include "cli/measurement.hpp"

#include <algorithm>
#include <map>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/doctor.hpp"
#include "analysis/point_result.hpp"
#include "base/text.hpp"
#include "journal/journal.hpp"
#include "launch/collector.hpp"
#include "launch/interruption.hpp"
#include "machine/facts.hpp"
#include "plan/progress_thread.hpp"
#include "report/progress.hpp"

namespace fathom::cli {
namespace {

namespace fs = std::filesystem;
using launch::Outcome;

/// One line a point for streams that show no bar.
std::string end_text(const analysis::PointResult& result) {
    return result.time_ns && result.status == "ok" ? "median " + time_text(result.time_ns->median)
                                                   : fmt::format("{}: {}", result.status, result.reason);
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
}  // namespace

Outcome Measurement::measure() {
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

void Measurement::recover(const store::JobRow& job) {
    const auto points = store_.points(run_);
    launch::Collector collector(store_, run_, points.empty() ? 0 : points.back().trial, job.id, job.journal,
                                {});
    collector.advance();
    mark({.kind = Outcome::Kind::died, .reason = "fathom was killed", .open_point = collector.open_point()});
    store_.end_job(job.id, "fathom was killed");
    std::error_code ignored;
    fs::remove(job.journal, ignored);
}

/// Later starts measure the same points as the first, with those it found on the way.
void Measurement::prepare_trial(int trial) {
    const auto points = store_.points(run_);
    const bool there =
        std::any_of(points.begin(), points.end(), [&](const auto& point) { return point.trial == trial; });
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
Outcome Measurement::measure(const Part& part) {
    const auto order = open_points(store_.points(run_), ground_.plan, part);
    const bool searching = part.trial == 0 && still_searching(store_, run_, ground_.plan);
    return order.empty() && !searching ? Outcome{} : start(part, order);
}

/// Starts a job for points in this order and marks the one that ended it, if any.
Outcome Measurement::start(const Part& part, const std::vector<plan::PointSpec>& order) {
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
std::vector<plan::KnownPoint> Measurement::known(const Part& part) const {
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

Outcome Measurement::watch(const launch::Command& command, const Part& part, std::int64_t job,
                           const fs::path& journal, const std::vector<plan::PointSpec>& order) {
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

void Measurement::remember_remark(const Outcome& outcome) {
    if (!outcome.remark.empty()) {
        store_.put_warning(run_,
                           {"note", "ending", outcome.remark + " after all points were measured.",
                            "none is needed for these results; look at the MPI library's MPI_Finalize"});
    }
}

/// A point that ended the job gets a second chance on resume; after that it has failed for good.
void Measurement::mark(const Outcome& outcome) {
    if (!outcome.open_point || outcome.kind == Outcome::Kind::done) {
        return;
    }
    const auto point = store_.point(run_, *outcome.open_point);
    if (outcome.kind == Outcome::Kind::interrupted) {
        store_.mark_point(run_, point.position, "pending", "interrupted while being measured", false);
    } else {
        store_.mark_point(run_, point.position, point.deaths > 0 ? "failed" : "died", outcome.reason, true);
    }
}

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

}  // namespace fathom::cli
