#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "launch/follower.hpp"
#include "launch/job.hpp"
#include "launch/open_work.hpp"
#include "launch/supervisor.hpp"
#include "store/store.hpp"

namespace fathom::launch {

/// Observes the progress of a measurement; events that are not overridden are ignored.
class MeasurementObserver {
  public:
    MeasurementObserver() = default;
    MeasurementObserver(const MeasurementObserver&) = delete;
    MeasurementObserver& operator=(const MeasurementObserver&) = delete;
    virtual ~MeasurementObserver() = default;

    /// A job is about to start, for points in this order.
    virtual void job_begins(const ResolvedJob& /*resolved*/, const Part& /*part*/,
                            const std::vector<plan::PointSpec>& /*order*/) {}
    /// Points are about to be measured again that were disturbed or missed their precision.
    virtual void points_revisited(std::size_t /*points*/, std::size_t /*of*/) {}
    /// Job, ranks and hosts are in the store, and so is what was newly found wrong with them.
    virtual void hosts_known(const std::vector<store::WarningRow>& /*fresh*/) {}
    virtual void point_added(const plan::PointSpec& /*point*/) {}
    virtual void point_begun(const plan::PointSpec& /*point*/) {}
    virtual void point_ended(const plan::PointSpec& /*point*/, const store::PointRow& /*stored*/) {}
    /// The journal of a job was taken over, and part of it could not be read.
    virtual void journal_damaged(const std::string& /*losses*/) {}
    /// Called repeatedly while a job runs.
    virtual void tick() {}
    virtual void job_ended() {}
};

/// Starts a command and watches it until it ends, while the follower reads its journal.
using JobRunner = std::function<Outcome(const Command& command, Follower& follower)>;

/// Reads a clock that only goes forward.
using Stopwatch = std::function<std::chrono::duration<double>()>;
std::chrono::duration<double> steady_seconds();

/// The jobs that a stored run takes, one after the other.
class Measurement {
  public:
    /// Jobs are started and watched by `run_job`; without one, by supervise().
    Measurement(store::Store& store, ResolvedJob resolved, std::int64_t run, MeasurementObserver& observer,
                JobRunner run_job = {}, Stopwatch now = steady_seconds)
        : store_(store),
          resolved_(std::move(resolved)),
          run_(run),
          observer_(observer),
          run_job_(std::move(run_job)),
          now_(std::move(now)),
          begun_(now_()) {}

    /// Measures what is left of the run, one launch after the other, until one does not finish
    /// normally; then, while time is left, the points again that were disturbed or missed their precision. If
    /// a launch cannot even be started, the run has failed and the Error is rethrown.
    Outcome measure();

    /// The same after taking over what a job left behind whose supervisor was killed. Nothing if the run is
    /// complete.
    std::optional<Outcome> resume();

    [[nodiscard]] const plan::Plan& plan() const { return resolved_.plan; }

  private:
    void recover();
    using Seconds = std::chrono::duration<double>;

    Outcome measure_launches();
    Outcome measure_launch(int launch, const std::optional<Part>& searching, Seconds allowance);
    Outcome revisit();
    void prepare_launch(int launch);
    void launch_no_more_than(std::int64_t launches, const store::WarningRow& why);
    void launch_less_if_slow();
    [[nodiscard]] Seconds elapsed() const { return now_() - begun_; }
    [[nodiscard]] Seconds budget_left() const;
    [[nodiscard]] std::vector<plan::PointSpec> points_to_revisit(
        const std::optional<std::set<plan::PointKey>>& candidates) const;
    Outcome measure(const Part& part, bool searching);
    Outcome start(const Part& part, const std::vector<plan::PointSpec>& order);
    [[nodiscard]] std::vector<plan::KnownPoint> known(const Part& part) const;
    Outcome watch(const Command& command, const Part& part, std::int64_t job,
                  const std::filesystem::path& journal, const std::vector<plan::PointSpec>& order);

    store::Store& store_;
    ResolvedJob resolved_;
    std::int64_t run_;
    MeasurementObserver& observer_;
    JobRunner run_job_;
    Stopwatch now_;
    Seconds begun_;
    Seconds allowance_{0};   // of the next job; none: no limit
    Seconds launching_{0};   // the longest from the start of a job to its first point
    Seconds besides_{0};     // what the last job took besides measuring
    Seconds evaluating_{0};  // the longest look for points to revisit
};

}  // namespace fathom::launch
