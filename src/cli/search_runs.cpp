#include "cli/search_runs.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/sha256.hpp"
#include "cli/job_progress.hpp"
#include "cli/stored_run.hpp"
#include "launch/ending.hpp"
#include "launch/interruption.hpp"
#include "launch/lease.hpp"
#include "launch/measurement.hpp"
#include "launch/runs.hpp"
#include "launch/trust.hpp"
#include "plan/grid.hpp"
#include "plan/implementations.hpp"
#include "plan/plan_toml.hpp"
#include "report/output.hpp"

namespace fathom::cli {
namespace {

using launch::Outcome;

constexpr std::string_view round_tag = "round";

/// Tells of points that spoilt their job: it ends behind them, and the next one need not try their kind.
/// Warns once of what is the same in all rounds.
class SearchProgress : public JobProgress {
  public:
    SearchProgress(const store::Store& store, const MeasureOptions& options,
                   std::vector<store::WarningRow>& warned,
                   std::function<void(const store::PointRow& failed)> spoilt)
        : JobProgress(store, options, LaunchCount::of_round), warned_(warned), spoilt_(std::move(spoilt)) {}

    void hosts_known(const std::vector<store::WarningRow>& fresh) override {
        std::vector<store::WarningRow> others;
        std::ranges::copy_if(fresh, std::back_inserter(others), [&](const auto& warning) {
            return std::ranges::find(warned_, warning) == warned_.end();
        });
        JobProgress::hosts_known(others);
        std::ranges::move(others, std::back_inserter(warned_));
    }

    void point_ended(const plan::PointSpec& point, const store::PointRow& stored) override {
        JobProgress::point_ended(point, stored);
        if (stored.status == store::PointStatus::failed && plan::implementation_of(point.key).forced()) {
            spoilt_(stored);
        }
    }

  private:
    std::vector<store::WarningRow>& warned_;
    std::function<void(const store::PointRow& failed)> spoilt_;
};

/// More of it makes no other search.
plan::Plan without_budget(plan::Plan plan) {
    plan.budget_s.reset();
    return plan;
}

}  // namespace

SearchRuns::SearchRuns(plan::Plan plan, const MeasureOptions& options, std::string_view tag, bool resume,
                       double usual_budget_s, const std::vector<std::string>& settings)
    : options_(options),
      tag_(tag),
      budget_s_(plan.budget_s.value_or(usual_budget_s)),
      resolved_(launch::resolve(without_budget(std::move(plan)), options.allow_root)),
      store_(store::Store::open_or_create(options.db)),
      search_(number_of_search(settings)),
      begun_(launch_time()) {
    find_repetition(resume);
}

std::chrono::duration<double> SearchRuns::launch_time() {
    return launch::steady_seconds();
}

/// A new search is one more than those that are there, a resumed one the newest of them.
void SearchRuns::find_repetition(bool resume) {
    if (resume && !has_runs(repetition_)) {
        throw BadInput(
            fmt::format("{} holds no search with these settings to resume; omit --resume.", options_.db));
    }
    while (has_runs(resume ? repetition_ + 1 : repetition_)) {
        ++repetition_;
    }
}

/// Equal for equal settings: what a search is found by again.
std::string SearchRuns::number_of_search(const std::vector<std::string>& settings) const {
    constexpr std::size_t bytes = 6;
    auto plan = resolved_.plan;
    plan.label.clear();
    auto text = plan::write_plan(plan);
    for (const auto& setting : settings) {
        text += setting + '\n';
    }
    return hexadecimal(sha256(text).substr(0, bytes));
}

std::string SearchRuns::tag_of_search(int repetition) const {
    return fmt::format("{}.{}", search_, repetition);
}

bool SearchRuns::of_search(const store::RunRow& row, int repetition) const {
    const auto tag = row.tags.find(tag_);
    return tag != row.tags.end() && tag->second == tag_of_search(repetition);
}

bool SearchRuns::has_runs(int repetition) const {
    const auto rows = store_.runs();
    return std::ranges::any_of(rows, [&](const auto& row) { return of_search(row, repetition); });
}

std::optional<std::int64_t> SearchRuns::stored(const std::string& round) const {
    for (const auto& row : store_.runs()) {
        const auto tag = row.tags.find(std::string(round_tag));
        if (of_search(row, repetition_) && tag != row.tags.end() && tag->second == round) {
            return row.id;
        }
    }
    return std::nullopt;
}

launch::ResolvedJob SearchRuns::job_of(const SearchRound& round) {
    auto job = resolved_;
    job.plan = round.plan;
    if (const int procs = plan::most_procs(round.plan); procs > 0) {
        job.procs = procs;  // a round may have fewer processes than the search
    }
    if (job.procs != resolved_.procs) {
        auto known = rooms_.find(job.procs);
        if (known == rooms_.end()) {
            known = rooms_.emplace(job.procs, launch::room_of(job)).first;
        }
        job.room = known->second;
    }
    job.plan.tags.push_back(fmt::format("{}={}", tag_, tag_of_search(repetition_)));
    job.plan.tags.push_back(fmt::format("{}={}", round_tag, round.number));
    return job;
}

std::optional<std::int64_t> SearchRuns::measure(const SearchRound& round) {
    auto job = job_of(round);
    const auto plan = job.plan;
    const auto before = stored(round.number);
    std::int64_t run = 0;
    if (before && store_.find_run(fmt::format("{}", *before)).status == store::RunStatus::done) {
        last_run_ = before;
        outcome_ = {};
        return before;
    }
    if (before) {
        run = *before;
        launch::own_run(store_, run,
                        {.pause = {}, .interrupted = launch::interrupted, .say = [](const std::string&) {}});
    } else {
        auto points = plan::points_of(plan, job.procs);
        if (round.wanted) {
            std::erase_if(points, [&](const auto& point) { return !round.wanted(point.key); });
        }
        run = launch::create_run(store_, {plan, points, store::RunOrigin::search}, options_.command_line);
        launch::mark_as_own(store_, run);
    }
    last_run_ = run;
    SearchProgress progress(store_, options_, warned_, [&](const store::PointRow& failed) {
        if (round.same_kind) {
            give_up_kind(run, round, failed.position, failed.reason);
        }
    });
    bool begun = before.has_value();
    auto measured = plan;
    const auto from = elapsed_s();
    while (true) {
        if (plan.budget_s) {  // one that ended its job took of it
            job.plan.budget_s = std::max(plan::shortest_budget_s, *plan.budget_s - (elapsed_s() - from));
        }
        launch::Measurement measurement(store_, job, run, progress);
        outcome_ = begun ? measurement.resume().value_or(Outcome{}) : measurement.measure();
        measured = measurement.plan();  // there may have been time for fewer launches
        begun = true;
        const auto culprit = culprit_of(run);
        if (!round.same_kind || !culprit) {
            break;
        }
        give_up_kind(run, round, *culprit, outcome_.reason);
    }
    launch::mark_variables(store_, run);
    launch::close_run(store_, run, measured, outcome_);
    return outcome_.kind == Outcome::Kind::done ? std::optional(run) : std::nullopt;
}

/// The point that ended a job: the one that was being measured, or one that failed just before, since what it
/// left under way may end the job later.
std::optional<int> SearchRuns::culprit_of(std::int64_t run) const {
    if (!outcome_.blames_point() || outcome_.open_point || !outcome_.last_point) {
        return outcome_.blames_point() ? outcome_.open_point : std::nullopt;
    }
    const auto last = store_.point(run, *outcome_.last_point);
    return last.status == store::PointStatus::failed ? outcome_.last_point : std::nullopt;
}

/// What ended a job would end the next one too.
void SearchRuns::give_up_kind(std::int64_t run, const SearchRound& round, int position,
                              const std::string& reason) {
    const auto points = store_.points(run);
    const auto ended = std::ranges::find(points, position, &store::PointRow::position);
    if (ended == points.end()) {
        return;
    }
    for (const auto& point : points) {
        const bool open =
            point.status == store::PointStatus::pending || point.status == store::PointStatus::died;
        if (open && round.same_kind(ended->key, point.key)) {
            store_.mark_point(run, point.position, store::PointStatus::failed, reason, false);
        }
    }
}

std::int64_t patience_of_round(const plan::Plan& plan) {
    constexpr double least_s = 10;  // what a launch may take on a busy machine
    constexpr double budgets = 2;   // of a round: no point takes all of it
    const double patience = std::max(least_s, budgets * plan.budget_s.value_or(0));
    return std::min(plan.point_timeout_s, static_cast<std::int64_t>(std::ceil(patience)));
}

ExitStatus status_of_search(const Outcome& outcome) {
    if (outcome.kind == Outcome::Kind::done) {
        return ExitStatus::done;
    }
    report::print(stderr, "fathom: {}; the same command with --resume goes on.\n", printable(outcome.reason));
    return outcome.kind == Outcome::Kind::interrupted ? ExitStatus::interrupted : ExitStatus::not_measured;
}

}  // namespace fathom::cli
