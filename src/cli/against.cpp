#include "cli/against.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"
#include "cli/job_progress.hpp"
#include "cli/run_reference.hpp"
#include "launch/against.hpp"
#include "launch/interruption.hpp"
#include "launch/runs.hpp"
#include "launch/trust.hpp"
#include "report/output.hpp"
#include "report/run_differences.hpp"

namespace fathom::cli {
namespace {

/// A new run and the run it is measured against.
class Duel {
  public:
    Duel(RunReference baseline, const std::function<void(plan::Plan&)>& change, const GateOptions& gate,
         const MeasureOptions& options)
        : baseline_(std::move(baseline)),
          options_(options),
          limits_(limits_of(gate)),
          store_(store::Store::open_or_create(options.db)),
          progress_(store_, options, LaunchCount::open_ended),
          turns_(store_, contenders(change), progress_) {
        limits_.looks = turn_limits().looks;
    }

    /// Launches until everything is decided, or for as long as may be.
    launch::TurnsEnd measure() {
        say(again_ ? fmt::format("Measuring {} again as run {}, in turn with run {}.", stored_name(), *again_,
                                 fresh_)
                   : fmt::format("Measuring run {} to compare it with {}.", fresh_, stored_name()));
        if (!simulated_) {
            say(fmt::format("This ends when every point is decided, or after {} (--budget).",
                            duration_text(seconds(turn_limits().budget))));
        }
        const auto since = now();
        auto first = turns_.launch();
        if (first.kind != launch::Outcome::Kind::done) {
            return {.outcome = std::move(first)};
        }
        if (again_) {
            look_at_baseline();
        }
        return launch::measure_in_turn(
            turns_, turn_limits(),
            [&] {
                const auto so_far = comparison();
                if (so_far.open() > 0) {
                    say(fmt::format("{} of {} points undecided after {} launches of each ({})", so_far.open(),
                                    so_far.points.size(), turns_.launches(),
                                    duration_text(seconds(now() - since))));
                }
                auto worth = launch::worth_measuring(so_far);
                if (!again_) {
                    worth.erase(worth.begin());
                }
                return worth;
            },
            now, since);
    }

    /// Why no more was measured, and what to do about it.
    [[nodiscard]] GateRemarks remarks(const launch::TurnsEnd& end,
                                      const analysis::Comparison& comparison) const {
        return {.to_decide = "",
                .ending = ending_text(end, comparison),
                .measuring = {{"ended_by", end.kind},
                              {"launches", turns_.launches()},
                              {"took_s", seconds(end.took)},
                              {"limit_s", seconds(turn_limits().budget)}}};
    }

    [[nodiscard]] analysis::Comparison comparison() const {
        auto first = again_ ? measured(*again_)
                            : analysis::measured_run(baseline_.store, baseline_.run, stored_name(), true);
        return analysis::compare(std::move(first), measured(fresh_), limits_);
    }

    /// Stores how the runs ended.
    void close(const launch::Outcome& outcome) {
        turns_.close(outcome);
        for (const auto run : {again_.value_or(fresh_), fresh_}) {
            launch::mark_variables(store_, run);
        }
    }

    [[nodiscard]] std::int64_t fresh() const { return fresh_; }

  private:
    static std::chrono::nanoseconds now() { return std::chrono::steady_clock::now().time_since_epoch(); }
    static double seconds(std::chrono::nanoseconds time) {
        return std::chrono::duration<double>(time).count();
    }

    [[nodiscard]] std::string ending_text(const launch::TurnsEnd& end,
                                          const analysis::Comparison& comparison) const {
        const auto undecided = comparison.count(analysis::Change::undecided);
        const auto near = comparison.open() - std::min(comparison.open(), undecided);
        const auto launches = fmt::format("after {} {}{}, {}", turns_.launches(),
                                          turns_.launches() == 1 ? "launch" : "launches",
                                          again_ ? " of each run" : "", duration_text(seconds(end.took)));
        const auto points =
            fmt::format("{} {} undecided{}", undecided, undecided == 1 ? "point is" : "points are",
                        near > 0 ? fmt::format(", {} may be beyond the limit or not", near) : std::string());
        switch (end.kind) {
            case launch::TurnsEndKind::failed:
                break;
            case launch::TurnsEndKind::decided:
                return comparison.open() == 0
                           ? fmt::format("Decided {}.\n", launches)
                           : fmt::format("Ended {}: {}, and more launches would not change that.\n", launches,
                                         points);
            case launch::TurnsEndKind::out_of_time: {
                constexpr int longer = 4;  // halves an interval
                const double limit = seconds(turn_limits().budget);
                return fmt::format(
                    "No time for more within {} (--budget), {}: {}. Raise it with --budget {}s.\n",
                    duration_text(limit), launches, points, std::llround(longer * limit));
            }
            case launch::TurnsEndKind::out_of_looks:
                return fmt::format(
                    "Ended {}: {}, and more looks would raise false alarms. Give {} or a larger --fail-above "
                    "(this was "
                    "{:.3g}%).\n",
                    launches, points, simulated_ ? "more --reps" : "it a quieter machine",
                    100 * limits_.limit);
        }
        return "";
    }

    std::vector<launch::Contender> contenders(const std::function<void(plan::Plan&)>& change) {
        if (!options_.trust_file) {
            launch::refuse_foreign_run(baseline_.store, baseline_.run, launch::Use::plan_and_variables);
        }
        auto plan = launch::plan_in_turn(baseline_.run);
        change(plan);
        budget_s_ = plan.budget_s;
        auto fresh = launch::resolve(std::move(plan), options_.allow_root);
        std::vector<launch::Contender> found;
        try {
            auto again = launch::job_again(baseline_.store, baseline_.run, options_.allow_root);
            again_ = create(again);
            found.push_back({.job = std::move(again), .run = *again_});
        } catch (const BadInput& error) {
            say(fmt::format("{} cannot be measured again here ({}); what is stored counts.", stored_name(),
                            error.what()));
        }
        fresh_ = create(fresh);
        found.push_back({.job = std::move(fresh), .run = fresh_});
        return found;
    }

    std::int64_t create(launch::ResolvedJob& job) {
        simulated_ = job.flavour() == plan::Flavour::smpi;
        job.plan.runs = turn_limits().first_look;
        job.effort = plan::effort_of_launch(job.plan, 0);
        job.plan.revisit_percent = 0;  // what is undecided is launched again here
        job.plan.budget_s.reset();     // both runs together have it
        job.may_launch_less = false;
        if (!simulated_) {
            job.launch_allowance_s = launch::launch_allowance_s(turn_limits());
        }
        const auto run = launch::create_run(store_,
                                            {.plan = job.plan,
                                             .points = plan::points_of(job.plan, job.procs),
                                             .in_turn_with = again_.value_or(0)},
                                            options_.command_line);
        launch::mark_as_own(store_, run);
        return run;
    }

    [[nodiscard]] launch::TurnLimits turn_limits() const {
        return launch::turn_limits(budget_s_, simulated_);
    }

    /// A baseline whose library or hosts are gone is compared as it is stored.
    void look_at_baseline() {
        const auto stored = analysis::measured_run(baseline_.store, baseline_.run, stored_name(), false,
                                                   {.other_runs = false});
        const auto gone = launch::not_had_again(
            stored, analysis::measured_run(store_, store_.find_run(fmt::format("{}", *again_)), "", false,
                                           {.other_runs = false}));
        if (!gone.empty()) {
            say(fmt::format("{} cannot be measured again here ({}); what is stored counts.", stored_name(),
                            report::difference_text(gone.front())));
            turns_.withdraw(0);
            again_.reset();
        }
    }

    [[nodiscard]] analysis::MeasuredRun measured(std::int64_t run) const {
        const auto name = fmt::format("{}", run);
        // Nothing is between runs that take turns.
        return analysis::measured_run(store_, store_.find_run(name), "run " + name, true,
                                      {.other_runs = !again_});
    }

    [[nodiscard]] std::string stored_name() const {
        const auto& run = baseline_.run;
        return analysis::names_of(
                   {{baseline_.store.path().string(), run.id, run.label}, {options_.db, run.id}})
            .front();
    }

    void say(const std::string& sentence) const {
        if (!options_.quiet) {
            report::print(stderr, "{}\n", printable(sentence));
        }
    }

    RunReference baseline_;
    const MeasureOptions& options_;
    analysis::ComparisonLimits limits_;
    store::Store store_;
    JobProgress progress_;
    std::optional<std::int64_t> again_;  // the baseline's new run, while it takes part
    std::int64_t fresh_ = 0;
    bool simulated_ = false;
    std::optional<double> budget_s_;  // as the command line gives it
    launch::Turns turns_;
};

/// The runs are closed whatever happens, such as that no point is in both.
launch::TurnsEnd measured_by(Duel& duel) {
    try {
        return duel.measure();
    } catch (const Error&) {
        duel.close({});
        throw;
    }
}

}  // namespace

ExitStatus run_against(const std::string& baseline, const std::function<void(plan::Plan&)>& change,
                       const GateOptions& gate, const MeasureOptions& options) {
    launch::catch_interruptions();
    Duel duel(find_run(baseline, options.db), change, gate, options);
    const auto end = measured_by(duel);
    duel.close(end.outcome);
    if (end.outcome.kind != launch::Outcome::Kind::done) {
        report::print(stderr, "fathom: {}; what was measured is stored in run {}.\n",
                      printable(end.outcome.reason), duel.fresh());
        return end.outcome.kind == launch::Outcome::Kind::interrupted ? ExitStatus::interrupted
                                                                      : ExitStatus::not_measured;
    }
    const auto comparison = duel.comparison();
    return conclude_comparison(comparison, gate, duel.remarks(end, comparison), options.json);
}

}  // namespace fathom::cli
