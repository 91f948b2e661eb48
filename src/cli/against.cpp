#include "cli/against.hpp"

#include <chrono>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/printable.hpp"
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
          progress_(store_, options.quiet),
          turns_(store_, contenders(change), progress_) {
        limits_.looks = turn_limits().looks;
    }

    /// Launches until everything is decided.
    launch::TurnsEnd measure() {
        say(again_ ? fmt::format("Measuring {} again as run {}, in turn with run {}.", stored_name(), *again_,
                                 fresh_)
                   : fmt::format("Measuring run {} to compare it with {}.", fresh_, stored_name()));
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
                auto worth = launch::worth_measuring(comparison());
                if (!again_) {
                    worth.erase(worth.begin());
                }
                return worth;
            },
            [] { return std::chrono::steady_clock::now().time_since_epoch(); });
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

    [[nodiscard]] const launch::Turns& turns() const { return turns_; }
    [[nodiscard]] std::int64_t fresh() const { return fresh_; }

  private:
    std::vector<launch::Contender> contenders(const std::function<void(plan::Plan&)>& change) {
        if (!options_.trust_file) {
            launch::refuse_foreign_run(baseline_.store, baseline_.run, launch::Use::plan_and_variables);
        }
        plan::Plan plan;
        plan::read_plan(plan, baseline_.run.plan_toml, fmt::format("plan of {}", stored_name()));
        plan.label.clear();
        plan.runs.reset();
        change(plan);
        auto fresh = launch::resolve(std::move(plan), options_.allow_root);
        std::vector<launch::Contender> found;
        try {
            auto again = launch::job_again(baseline_.store, baseline_.run, options_.allow_root);
            again.plan.label.clear();
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
        if (job.plan.budget_s) {
            constexpr double ns_per_s = 1e9;
            budget_ = std::chrono::nanoseconds(std::llround(*job.plan.budget_s * ns_per_s));
            job.plan.budget_s.reset();  // both runs together have it
        }
        const auto run = launch::create_run(store_, {job.plan, plan::points_of(job.plan, job.procs)},
                                            options_.command_line);
        launch::mark_as_own(store_, run);
        return run;
    }

    /// Simulated launches are all alike.
    [[nodiscard]] launch::TurnLimits turn_limits() const {
        launch::TurnLimits limits;
        limits.budget = budget_.value_or(limits.budget);
        if (simulated_) {
            limits.first_look = limits.looks = 1;
        }
        return limits;
    }

    /// A baseline whose library or hosts are gone is compared as it is stored.
    void look_at_baseline() {
        const auto stored = analysis::measured_run(baseline_.store, baseline_.run, stored_name(), false);
        const auto gone = launch::not_had_again(
            stored, analysis::measured_run(store_, store_.find_run(fmt::format("{}", *again_)), "", false));
        if (!gone.empty()) {
            say(fmt::format("{} cannot be measured again here ({}); what is stored counts.", stored_name(),
                            report::difference_text(gone.front())));
            turns_.withdraw(0);
            again_.reset();
        }
    }

    [[nodiscard]] analysis::MeasuredRun measured(std::int64_t run) const {
        const auto name = fmt::format("{}", run);
        return analysis::measured_run(store_, store_.find_run(name), "run " + name, true);
    }

    [[nodiscard]] std::string stored_name() const {
        return analysis::names_of(
                   {{baseline_.store.path().string(), baseline_.run.id}, {options_.db, baseline_.run.id}})
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
    std::optional<std::chrono::nanoseconds> budget_;
    launch::Turns turns_;
};

}  // namespace

ExitStatus run_against(const std::string& baseline, const std::function<void(plan::Plan&)>& change,
                       const GateOptions& gate, const MeasureOptions& options) {
    launch::catch_interruptions();
    Duel duel(find_run(baseline, options.db), change, gate, options);
    const auto end = duel.measure();
    duel.close(end.outcome);
    if (end.outcome.kind != launch::Outcome::Kind::done) {
        report::print(stderr, "fathom: {}; what was measured is stored in run {}.\n",
                      printable(end.outcome.reason), duel.fresh());
        return end.outcome.kind == launch::Outcome::Kind::interrupted ? ExitStatus::interrupted
                                                                      : ExitStatus::not_measured;
    }
    const auto status = conclude_comparison(duel.comparison(), gate, "", options.json);
    if (!end.decided && !options.quiet) {
        report::print(stderr, "Points are undecided after {} launches of each run{}.\n",
                      duel.turns().launches(), end.out_of_time ? ": the time is up" : "");
    }
    return status;
}

}  // namespace fathom::cli
