#include "launch/measurement.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#include <fmt/format.h>

#include "analysis/point/point_result.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/collector.hpp"
#include "launch/ending.hpp"
#include "launch/host_warnings.hpp"
#include "launch/interruption.hpp"

namespace fathom::launch {

using store::PointStatus;

Outcome Measurement::measure() {
    try {
        return measure_launches();
    } catch (const Error& error) {
        store_.set_run_status(run_, store::RunStatus::failed, error.what());
        throw;
    }
}

Outcome Measurement::measure_launches() {
    // Determined before the first job, whose end says nothing about the part that was searching.
    const auto searching = searching_part(store_, run_, resolved_.plan);
    for (int launch = 0; launch < resolved_.plan.runs.value_or(1); ++launch) {
        prepare_launch(launch);
        for (const auto& part : parts_of(store_.points(run_), launch)) {
            const auto outcome = measure(part, searching == part);
            if (outcome.kind != Outcome::Kind::done) {
                return outcome;
            }
        }
    }
    return {};
}

std::optional<Outcome> Measurement::resume() {
    recover();
    return complete(store_, run_, resolved_.plan) ? std::nullopt : std::optional(measure());
}

/// Takes over what the last job left in its journal, if nobody saw it end.
void Measurement::recover() {
    const auto job = store_.last_job(run_);
    if (job && job->state == store::JobState::running) {
        take_over(store_, run_, *job, "fathom was killed");
        std::error_code ignored;
        std::filesystem::remove(job->journal, ignored);
    }
}

/// Later launches measure the same points as the first, including those it added.
void Measurement::prepare_launch(int launch) {
    const auto points = store_.points(run_);
    const bool there =
        std::any_of(points.begin(), points.end(), [&](const auto& point) { return point.launch == launch; });
    if (there) {
        return;
    }
    std::vector<plan::PointSpec> same;
    for (const auto& point : points) {
        if (point.launch == 0) {
            same.push_back(spec_of(point));
            same.back().index = points.back().position + static_cast<int>(same.size());
        }
    }
    store_.add_points(run_, launch, same);
}

/// Measures what is left of a part. One that is still searching may find more where nothing is left.
Outcome Measurement::measure(const Part& part, bool searching) {
    const auto order = open_points(store_.points(run_), resolved_.plan, part);
    return order.empty() && !searching ? Outcome{} : start(part, order);
}

/// Starts a job for points in this order and stores how it ended.
Outcome Measurement::start(const Part& part, const std::vector<plan::PointSpec>& order) {
    const JobFiles files(files_of_run(store_.path(), run_), resolved_.platform.has_value());
    plan::Job work;
    work.points = order;
    work.next_index = store_.points(run_).back().position + 1;
    work.refining = part.launch == 0;
    work.known = known(part);
    work.progress = part.progress;
    const auto command = prepare(resolved_, files, work);
    const auto job = store_.create_job(run_, shell_text(command.words), files.journal.string());
    try {
        auto outcome = watch(command, part, job, files.journal, order);
        end_job(store_, run_, job, outcome);
        std::filesystem::remove(files.journal);
        return outcome;
    } catch (const Error& error) {
        store_.end_job(job, error.what());
        throw;
    }
}

/// What earlier jobs of a part have measured, as the base for further refinement.
std::vector<plan::KnownPoint> Measurement::known(const Part& part) const {
    std::vector<plan::KnownPoint> found;
    for (const auto& point : store_.points(run_)) {
        const bool open = point.status == PointStatus::pending || point.status == PointStatus::died;
        if (!part.has(point) || open || !searches(resolved_.plan)) {
            continue;
        }
        const auto result = analysis::evaluate_times(store_, point);
        const auto bounds = point.status == PointStatus::ok && result.time_ns
                                ? stats::median_bounds(*result.time_ns)
                                : std::nullopt;
        const bool timed = bounds.has_value();
        const auto interval = bounds.value_or(stats::Interval{.low = 0, .high = 0});
        found.push_back({.point = spec_of(point),
                         .measured = timed,
                         .median_ns = timed ? result.time_ns->median : 0,
                         .low_ns = interval.low,
                         .high_ns = interval.high});
    }
    return found;
}

Outcome Measurement::watch(const Command& command, const Part& part, std::int64_t job,
                           const std::filesystem::path& journal, const std::vector<plan::PointSpec>& order) {
    observer_.job_begins(resolved_, part, order);
    std::map<int, plan::PointSpec> specs;
    for (const auto& point : order) {
        specs[point.index] = point;
    }
    Collector collector(store_, run_, part.launch, job, journal,
                        {.environment_known = [&] { observer_.hosts_known(warn_of_hosts(store_, run_)); },
                         .point_added =
                             [&](const plan::PointSpec& point) {
                                 specs[point.index] = point;
                                 observer_.point_added(point);
                             },
                         .point_begun = [&](int position) { observer_.point_begun(specs.at(position)); },
                         .point_ended =
                             [&](const journal::PointEnd& end) {
                                 observer_.point_ended(specs.at(end.index), store_.point(run_, end.index));
                             }});
    try {
        const auto outcome =
            run_job_ ? run_job_(command, collector)
                     : supervise(
                           command, collector, {.step = std::chrono::seconds(resolved_.plan.point_timeout_s)},
                           interrupted, [&] { return store_.ranks(run_); }, [&] { observer_.tick(); });
        observer_.job_ended();
        return outcome;
    } catch (const BadInput& error) {
        // This journal is our own: it was damaged while the job wrote it.
        throw NotMeasured(fmt::format("{}; 'fathom run --resume {}' continues.", error.what(), run_));
    }
}

}  // namespace fathom::launch
