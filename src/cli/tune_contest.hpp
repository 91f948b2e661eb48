#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/measure.hpp"
#include "cli/search_runs.hpp"
#include "plan/plan.hpp"
#include "tune/search/race.hpp"

namespace fathom::cli {

/// One operation with one number of processes, measured in the rounds of a race.
class Contest {
  public:
    /// `budget_s` is for all rounds; a simulation takes the time it takes unless `limited`.
    Contest(SearchRuns& runs, const MeasureOptions& options, std::string operation, int procs,
            std::vector<std::string> ways, double budget_s, bool limited);

    /// Nothing if no time is left, or if the round was interrupted or failed, which `runs` tells.
    std::optional<tune::RaceOutcome> measure(const tune::RaceRound& round);

  private:
    [[nodiscard]] bool has_time_for(const tune::RaceRound& round) const;
    [[nodiscard]] double time_for(tune::RaceStage stage) const;
    [[nodiscard]] std::int64_t launches_in(std::int64_t run) const;
    [[nodiscard]] std::int64_t launches_for(tune::RaceStage stage) const;
    [[nodiscard]] plan::Plan plan_of(const tune::RaceRound& round) const;
    [[nodiscard]] std::optional<std::size_t> way_of(const plan::PointKey& key) const;
    [[nodiscard]] bool is_in(const tune::RaceRound& round, const plan::PointKey& key) const;
    void say(const tune::RaceRound& round, const std::optional<std::int64_t>& stored) const;
    [[nodiscard]] tune::RaceOutcome outcome_of(std::int64_t run) const;

    SearchRuns& runs_;
    const MeasureOptions& options_;
    std::string operation_;
    int procs_;
    std::vector<std::string> ways_;
    double budget_s_;
    bool limited_;
    double begun_s_;
    std::optional<double> launches_per_s_;  // where the time of a round was not enough for all of them
};

}  // namespace fathom::cli
