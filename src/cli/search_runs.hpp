#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/point/point_result.hpp"
#include "cli/measure.hpp"
#include "launch/job.hpp"
#include "launch/supervisor.hpp"
#include "plan/plan.hpp"
#include "store/store.hpp"

namespace fathom::cli {

/// What a search measures in one round: a run of its own.
struct SearchRound {
    std::string number;  ///< unique within the search
    plan::Plan plan;     ///< that of the search, with what this round measures
    /// The points of the plan that are wanted; all without it.
    std::function<bool(const plan::PointKey& key)> wanted = {};
    /// Whether a point is of the same kind as one that ended its job, and need not be tried either. Without
    /// it, a job that dies ends the search.
    std::function<bool(const plan::PointKey& ended, const plan::PointKey& other)> same_kind = {};
};

/// A search that goes on by what it has measured: its rounds are runs of the result file, which their tags
/// find again when the search is resumed. All share the time (--budget).
class SearchRuns {
  public:
    /// `tag` names the kind of search; `settings` are what tells searches with equal plans apart. Throws
    /// BadInput if `resume` finds nothing to resume.
    SearchRuns(plan::Plan plan, const MeasureOptions& options, std::string_view tag, bool resume,
               double usual_budget_s, const std::vector<std::string>& settings = {});

    [[nodiscard]] int procs() const { return resolved_.procs; }
    [[nodiscard]] bool simulated() const { return resolved_.flavour() == plan::Flavour::smpi; }
    [[nodiscard]] const launch::ResolvedJob& resolved() const { return resolved_; }
    [[nodiscard]] const plan::Plan& plan() const { return resolved_.plan; }
    [[nodiscard]] const store::Store& store() const { return store_; }
    /// Of the last round: how the search ends if there is no other.
    [[nodiscard]] const launch::Outcome& outcome() const { return outcome_; }

    [[nodiscard]] double budget_s() const { return budget_s_; }
    [[nodiscard]] double elapsed_s() const { return (launch_time() - begun_).count(); }

    /// Of the round that was measured last.
    [[nodiscard]] const std::optional<std::int64_t>& last_run() const { return last_run_; }
    /// The run of a round that was begun before.
    [[nodiscard]] std::optional<std::int64_t> stored(const std::string& round) const;
    /// Measures a round, or the rest of it; returns its run. Nothing if it was interrupted or failed, which
    /// outcome() tells.
    std::optional<std::int64_t> measure(const SearchRound& round);

  private:
    static std::chrono::duration<double> launch_time();
    [[nodiscard]] std::string number_of_search(const std::vector<std::string>& settings) const;
    [[nodiscard]] std::string tag_of_search(int repetition) const;
    [[nodiscard]] bool has_runs(int repetition) const;
    [[nodiscard]] bool of_search(const store::RunRow& row, int repetition) const;
    void find_repetition(bool resume);
    [[nodiscard]] launch::ResolvedJob job_of(const SearchRound& round);
    [[nodiscard]] std::optional<int> culprit_of(std::int64_t run) const;
    void give_up_kind(std::int64_t run, const SearchRound& round, int position, const std::string& reason);

    const MeasureOptions& options_;
    std::string tag_;
    double budget_s_;
    launch::ResolvedJob resolved_;
    store::Store store_;
    std::string search_;
    int repetition_ = 1;
    std::chrono::duration<double> begun_;
    launch::Outcome outcome_;
    std::optional<std::int64_t> last_run_;
    std::vector<store::WarningRow> warned_;  // of which the user knows
    std::map<int, launch::Room> rooms_;      // of other numbers of processes than the search's
};

/// How long a point may be silent in a round with a budget: a hang must not take the time of all others.
std::int64_t patience_of_round(const plan::Plan& plan);

/// How a search ends; says how to go on with one that did not come to its end.
ExitStatus status_of_search(const launch::Outcome& outcome);

}  // namespace fathom::cli
