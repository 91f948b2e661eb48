#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
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
    /// Verdicts are taken after this many launches, twice as many, and so on. More of them would each have
    /// to be surer (ComparisonLimits::looks), and eight times the launches narrow an interval to a third.
    int looks = 4;
    /// No launch begins that would not end within this, if --budget says nothing else: as long as one waits
    /// for a test.
    std::chrono::nanoseconds budget = std::chrono::minutes(10);
};

/// Why no more was launched.
struct TurnsEnd {
    Outcome outcome;
    bool decided = false;      ///< no point is worth another launch
    bool out_of_time = false;  ///< the budget is gone
};

/// Launches until no point of any contender is worth another launch. `worth` takes the verdicts so far, in
/// the order of the contenders; `now` is the time on any clock.
TurnsEnd measure_in_turn(Turns& turns, const TurnLimits& limits,
                         const std::function<std::vector<WorthMeasuring>()>& worth,
                         const std::function<std::chrono::nanoseconds()>& now);

/// The points of each run that a comparison left undecided and that more launches may decide: those of the
/// first, and those of the second.
std::vector<WorthMeasuring> worth_measuring(const analysis::Comparison& comparison);

/// Lets a job start with the variables that steered the MPI library of a stored run, without those of this
/// environment that it did not have.
void put_variables(ResolvedJob& job, const store::EnvironmentRows& environment);

/// A stored run as it can be launched again: with its plan and its variables. Throws BadInput if it cannot be
/// started here.
ResolvedJob job_again(const store::Store& store, const store::RunRow& run, bool allow_root);

/// What keeps a run that was launched again from standing for the stored one: another library, other hosts
/// or another kind of machine.
std::vector<analysis::Difference> not_had_again(const analysis::MeasuredRun& stored,
                                                const analysis::MeasuredRun& again);

}  // namespace fathom::launch
