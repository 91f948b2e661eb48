#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/across_runs/comparison.hpp"
#include "launch/measurement.hpp"

/// Measuring a run against another, in turn with it.
namespace fathom::launch {

/// A run whose launches take turns with those of others.
struct Contender {
    ResolvedJob job;
    std::int64_t run = 0;
};

/// The points of one contender that are still worth a launch.
using WorthMeasuring = std::set<plan::PointKey>;

/// Runs that are launched in turn, so that whatever drifts affects all of them alike.
class Turns {
  public:
    /// Jobs are started and watched by `run_job`; without one, by supervise().
    Turns(store::Store& store, std::vector<Contender> contenders, MeasurementObserver& observer,
          JobRunner run_job = {});

    /// One more launch of each, in the order AB, BA, AB and so on; of all points, or of these of each
    /// contender. Ends with the first launch that does not finish normally.
    Outcome launch(const std::optional<std::vector<WorthMeasuring>>& worth = {});

    /// The contender at this place is launched no more.
    void withdraw(std::size_t place);

    /// Stores how the runs ended.
    void close(const Outcome& outcome);

    [[nodiscard]] const std::vector<Contender>& contenders() const { return contenders_; }
    /// How often each was launched.
    [[nodiscard]] int launches() const { return launches_; }

  private:
    Outcome launch(Contender& contender, const WorthMeasuring* worth);

    store::Store& store_;
    std::vector<Contender> contenders_;
    MeasurementObserver& observer_;
    JobRunner run_job_;
    int launches_ = 0;
};

/// How long to go on.
struct TurnLimits {
    /// Launches of each before the first verdict; a launch is the unit of the comparison, and fewer than
    /// five do not show by how much launches differ.
    int first_look = 5;
    /// Verdicts are taken after this many launches, one and a half times as many, and so on: after 5, 8, 12,
    /// 18, 27, 41, 62 and 93. More of them would each have to be surer (ComparisonLimits::looks).
    int looks = 8;
    /// After the first, no launches begin that would not end within this: as long as one waits for a test.
    std::chrono::nanoseconds budget = std::chrono::minutes(2);
};

/// With the time that was given for both runs together, if one was. Simulated launches are all alike.
TurnLimits turn_limits(std::optional<double> budget_s, bool simulated);

/// The longest that a launch may take so that the first verdict comes within the budget; starting the jobs
/// gets as much time as one launch of each.
double launch_allowance_s(const TurnLimits& limits);

/// The number of launches after which verdicts are taken next.
constexpr int next_look(int launches) {
    return (3 * launches + 1) / 2;
}

/// Why no more was launched.
enum class TurnsEndKind {
    failed,       ///< a launch did not finish normally
    decided,      ///< no point is worth another launch
    out_of_time,  ///< the budget is gone
    out_of_looks  ///< as many verdicts were taken as may be
};
constexpr std::array<std::string_view, 4> enum_names(TurnsEndKind /*unused*/) {
    return {"failed", "decided", "time", "launches"};
}
struct TurnsEnd {
    Outcome outcome;
    TurnsEndKind kind = TurnsEndKind::failed;
    std::chrono::nanoseconds took{0};
};

/// Launches until no point of any contender is worth another launch. `worth` takes the verdicts so far, in
/// the order of the contenders; `now` is the time on any clock. Launches that were made before count as the
/// first ones, `since` the budget began.
TurnsEnd measure_in_turn(Turns& turns, const TurnLimits& limits,
                         const std::function<std::vector<WorthMeasuring>()>& worth,
                         const std::function<std::chrono::nanoseconds()>& now,
                         std::optional<std::chrono::nanoseconds> since = {});

/// The points of each run that a comparison left undecided and that more launches may decide: those of the
/// first, and those of the second.
std::vector<WorthMeasuring> worth_measuring(const analysis::Comparison& comparison);

/// Lets a job start with the variables that steered the MPI library of a stored run, without those of this
/// environment that it did not have.
void put_variables(ResolvedJob& job, const store::EnvironmentRows& environment);

/// The variables that steered the MPI library of a stored run as far as its user gave them: neither what
/// launchers, libraries nor the run's plan set.
std::map<std::string, std::string> given_variables(const store::EnvironmentRows& environment,
                                                   const plan::Plan& plan);

/// Those of an environment, each `NAME=VALUE`, that would steer the MPI library of a job.
std::map<std::string, std::string> steering_variables(std::span<const char* const> environment);

/// What has to precede a command in a shell that has the one so that the other steer the MPI library:
/// `env -u NAME NAME=VALUE`, word by word; none if they do already.
std::vector<std::string> words_to_steer(const std::map<std::string, std::string>& here,
                                        const std::map<std::string, std::string>& wanted);

/// The plan of a stored run as runs that take turns begin with it: without its label, its number of launches
/// and its budget, which were that run's.
plan::Plan plan_in_turn(const store::RunRow& run);

/// A stored run as it can be launched in turn: with its plan and its variables. Throws BadInput if it cannot
/// be started here.
ResolvedJob job_again(const store::Store& store, const store::RunRow& run, bool allow_root);

/// What keeps a run that was launched again from standing for the stored one: another library, other hosts
/// or another kind of machine.
std::vector<analysis::Difference> not_had_again(const analysis::MeasuredRun& stored,
                                                const analysis::MeasuredRun& again);

}  // namespace fathom::launch
