#include "launch/measurement.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include <fmt/format.h>

#include "analysis/point/point_result.hpp"
#include "analysis/point/quality.hpp"
#include "analysis/run/run_result.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "launch/collector.hpp"
#include "launch/ending.hpp"
#include "launch/host_warnings.hpp"
#include "launch/interruption.hpp"
#include "launch/trust.hpp"

namespace fathom::launch {

using store::PointStatus;

namespace {

constexpr std::chrono::duration<double> no_limit{0};
/// Less than that is not worth a launch.
constexpr std::chrono::duration<double> least_allowance{0.05};

}  // namespace

std::chrono::duration<double> steady_seconds() {
    return std::chrono::steady_clock::now().time_since_epoch();
}

Outcome Measurement::measure() {
    try {
        return measure_launches();
    } catch (const Error& error) {
        try {
            store_.set_run_status(run_, store::RunStatus::failed, error.what());
        } catch (const Error&) {  // NOLINT(bugprone-empty-catch): what came first says more
        }
        throw;
    }
}

Outcome Measurement::measure_launches() {
    // Determined before the first job, whose end says nothing about the part that was searching.
    const auto searching = searching_part(store_, run_, resolved_.plan);
    const auto planned = [&] { return resolved_.plan.runs.value_or(1); };
    const int begun = store_.points(run_).back().launch + 1;  // revisits among them, if a run is resumed
    for (int launch = 0; launch < planned() || launch < begun; ++launch) {
        if (resolved_.plan.budget_s && launch > 0 && launch < planned() && budget_left() <= besides_) {
            launch_no_more_than(launch,
                                {.severity = store::Severity::note,
                                 .code = "few-launches",
                                 .text = fmt::format("the time (--budget) was enough for {} of {} "
                                                     "launches",
                                                     launch, planned()),
                                 .remedy = "give more time, fewer points, or fewer launches (--runs)"});
            break;
        }
        prepare_launch(launch);
        const auto share =
            resolved_.plan.budget_s
                ? std::max(least_allowance,
                           budget_left() / static_cast<double>(std::max<std::int64_t>(1, planned() - launch)))
                : Seconds{resolved_.launch_allowance_s.value_or(no_limit.count())};
        const auto outcome = measure_launch(launch, searching, share);
        if (outcome.kind != Outcome::Kind::done) {
            return outcome;
        }
        launch_less_if_slow();
    }
    return revisit();
}

Outcome Measurement::measure_launch(int launch, const std::optional<Part>& searching, Seconds allowance) {
    const auto parts = parts_of(store_.points(run_), launch);
    const auto begun = now_();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        allowance_ =
            allowance == no_limit
                ? no_limit
                : std::max(least_allowance,
                           (allowance - (now_() - begun)) / static_cast<double>(parts.size() - i) - besides_);
        const auto before = now_();
        const auto outcome = measure(parts[i], searching == parts[i]);
        besides_ = allowance_ == no_limit ? launching_ : std::max(launching_, now_() - before - allowance_);
        if (outcome.kind != Outcome::Kind::done) {
            return outcome;
        }
    }
    return {};
}

/// Of what --budget gives, without what showing the result will take: three times as long as looking for
/// points to revisit (it explains them too); before that is known, a twentieth, and 0.2 s at
/// least.
Measurement::Seconds Measurement::budget_left() const {
    constexpr double first_guess = 0.05;
    constexpr Seconds least_guess{0.2};
    constexpr double with_explanations = 3;
    const Seconds budget{resolved_.plan.budget_s.value_or(0)};
    return budget - elapsed() -
           (evaluating_ > no_limit ? with_explanations * evaluating_
                                   : std::max(least_guess, first_guess * budget));
}

/// Settles for fewer launches than were planned, and stores why.
void Measurement::launch_no_more_than(std::int64_t launches, const store::WarningRow& why) {
    resolved_.plan.runs = launches;
    change_plan(store_, run_, plan::write_plan(resolved_.plan));
    store_.put_warning(run_, why);
}

/// Where launching takes long, three launches must do: fewer have no useful interval.
void Measurement::launch_less_if_slow() {
    constexpr std::int64_t few = 3;
    // Ten times what it takes on one host: five launches then add more to a run than a reader will wait for.
    constexpr Seconds slow{2};
    if (!resolved_.may_launch_less || launching_ <= slow || resolved_.plan.runs.value_or(1) <= few) {
        return;
    }
    launch_no_more_than(few,
                        {.severity = store::Severity::note,
                         .code = "few-launches",
                         .text = fmt::format("a launch takes {:.1f} s here, so there were {} instead of {}; "
                                             "intervals are wider for it",
                                             launching_.count(), few, resolved_.plan.runs.value_or(1)),
                         .remedy = "give --runs to choose the number of launches"});
}

/// Points whose result is not what the plan asks for, in another order with every launch.
Outcome Measurement::revisit() {
    const auto& plan = resolved_.plan;
    const double share = plan.revisit_percent.value_or(0);
    if (share <= 0) {
        return {};
    }
    constexpr double percent = 100;
    const auto until = elapsed() * (1 + share / percent);
    std::optional<std::set<plan::PointKey>> candidates;
    while (true) {
        const auto begun = now_();
        const auto points = points_to_revisit(candidates);
        evaluating_ = std::max(evaluating_, now_() - begun);
        const auto left = plan.budget_s ? budget_left() : until - elapsed();
        if (points.empty() || left - besides_ < least_allowance) {
            return {};
        }
        candidates.emplace();
        for (const auto& point : points) {
            candidates->insert(point.key);
        }
        const auto all = store_.points(run_);
        const int launch = all.back().launch + 1;
        observer_.points_revisited(
            points.size(), static_cast<std::size_t>(std::count_if(
                               all.begin(), all.end(), [](const auto& point) { return point.launch == 0; })));
        store_.add_points(run_, launch, points);
        const auto outcome = measure_launch(launch, std::nullopt, left);
        if (outcome.kind != Outcome::Kind::done) {
            return outcome;
        }
    }
}

std::vector<plan::PointSpec> Measurement::points_to_revisit(
    const std::optional<std::set<plan::PointKey>>& candidates) const {
    analysis::Wanted wanted;
    wanted.other_runs = false;
    if (candidates) {
        wanted.select = [&](const auto& key) { return candidates->contains(key); };
    }
    const auto result = analysis::evaluate(store_, store_.find_run(fmt::format("{}", run_)), {}, wanted);
    const auto position = store_.points(run_).back().position;
    std::vector<plan::PointSpec> found;
    for (const auto& point : result.points) {
        if (analysis::missed_its_goal(point, resolved_.plan)) {
            found.push_back({.index = position + 1 + static_cast<int>(found.size()),
                             .key = point.key,
                             .purpose = point.purpose});
        }
    }
    return found;
}

std::optional<Outcome> Measurement::resume() {
    recover();
    return complete(store_, run_, resolved_.plan) ? std::nullopt : std::optional(measure());
}

/// Takes over what the last job left in its journal, if nobody saw it end or could store all of it.
void Measurement::recover() {
    auto job = store_.last_job(run_);
    if (!job || job->state != store::JobState::running) {
        return;
    }
    job->journal = journal_of_run(store_.path(), run_).string();  // a file may name any other
    const auto outcome = take_over(store_, run_, *job, "fathom was killed or could not store it");
    if (!outcome.losses.empty()) {
        observer_.journal_damaged(outcome.losses);
    }
    std::error_code ignored;
    std::filesystem::remove(job->journal, ignored);
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

/// Measures what is left of a part. One that is still searching may find more where nothing is left. A job
/// ends early after a point that spoilt it, and another one measures the rest.
Outcome Measurement::measure(const Part& part, bool searching) {
    auto order = open_points(store_.points(run_), resolved_.plan, part);
    if (order.empty() && !searching) {
        return {};
    }
    while (true) {
        const auto outcome = start(part, order);
        auto left = open_points(store_.points(run_), resolved_.plan, part);
        if (outcome.kind != Outcome::Kind::done || left.empty() || left.size() >= order.size()) {
            return outcome;
        }
        order = std::move(left);
    }
}

/// Starts a job for points in this order and stores how it ended.
Outcome Measurement::start(const Part& part, const std::vector<plan::PointSpec>& order) {
    store_.renew_leases();
    const JobFiles files(files_of_run(store_.path(), run_), resolved_.platform.has_value());
    plan::Job work;
    work.points = order;
    work.next_index = store_.points(run_).back().position + 1;
    work.refining = part.launch == 0;
    work.known = known(part);
    work.progress = part.progress;
    work.setting = part.setting;
    work.effort = resolved_.effort.value_or(plan::effort_of_launch(resolved_.plan, part.launch));
    work.allowance_s = allowance_.count();
    auto resolved = resolved_;
    // It takes a second and checks the same machine: once is enough.
    resolved.plan.check_clock = resolved.plan.check_clock && part.launch == 0;
    const auto command = prepare(resolved, files, work);
    const auto job = store_.create_job(run_, shell_text(command.words), files.journal.string());
    try {
        auto outcome = watch(command, part, job, files.journal, order);
        if (outcome.kind == Outcome::Kind::died && cannot_grow(files.journal)) {
            outcome.kind = Outcome::Kind::cut_off;
        }
        end_job(store_, run_, job, outcome);
        files.remove_journal();
        return outcome;
    } catch (const store::LeaseLost&) {
        throw;  // the journal is another's now
    } catch (const Error& error) {
        const std::string why = error.what();
        if (files.journal_is_empty()) {
            store_.end_job(job, why);
            const auto points = store_.points(run_);
            const bool was_measuring = dynamic_cast<const store::PointNotWhole*>(&error) != nullptr;
            if (!was_measuring && std::ranges::none_of(points, [](const auto& point) {
                    return point.status == PointStatus::ok;
                })) {
                throw;
            }
        }
        // Else the job stays open, so that resuming takes over its journal.
        throw Error(
            error.category(),
            fmt::format("{}{} What was measured is kept; 'fathom run --resume {}' goes on from there.", why,
                        why.ends_with('.') ? "" : ".", run_));
    }
}

/// What earlier jobs of a part have measured, as the base for further refinement.
std::vector<plan::KnownPoint> Measurement::known(const Part& part) const {
    std::vector<plan::KnownPoint> found;
    for (const auto& point : store_.points(run_)) {
        const bool open = point.status == PointStatus::pending || point.status == PointStatus::died;
        if (!part.has(point) || open || !plan::searches(resolved_.plan)) {
            continue;
        }
        const auto result = analysis::evaluate_times(store_, point);
        const auto bounds =
            point.status == PointStatus::ok && result.time_ns
                ? stats::median_bounds(*result.time_ns, resolved_.flavour() == plan::Flavour::smpi)
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
    const auto started = now_();
    bool measuring = false;
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
                         .point_begun =
                             [&](int position) {
                                 launching_ = measuring ? launching_ : std::max(launching_, now_() - started);
                                 measuring = true;
                                 observer_.point_begun(specs.at(position));
                             },
                         .point_ended =
                             [&](const journal::PointEnd& end) {
                                 observer_.point_ended(specs.at(end.index), store_.point(run_, end.index));
                             }});
    const auto tick = [&] {
        observer_.tick();
        store_.renew_leases();
    };
    try {
        const auto outcome =
            run_job_ ? run_job_(command, collector)
                     : supervise(
                           command, collector, {.step = std::chrono::seconds(resolved_.plan.point_timeout_s)},
                           interrupted, [&] { return store_.ranks(run_); }, tick);
        observer_.job_ended();
        return outcome;
    } catch (const BadInput& error) {
        // This journal is our own: it was damaged while the job wrote it.
        throw NotMeasured(error.what());
    }
}

}  // namespace fathom::launch
