#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/measure.hpp"
#include "launch/measurement.hpp"
#include "report/progress.hpp"

namespace fathom::cli {

/// The line on stderr about a host that is serious enough for one; empty if it is not.
std::string warning_line(const store::WarningRow& warning);

/// What is known of the number of launches when the first one begins.
enum class LaunchCount {
    planned,    ///< as many as the plan says
    of_round,   ///< the same, in one of many runs, of which something else tells
    open_ended  ///< until something is decided
};

/// Shows the progress of a run's jobs on stderr: a bar, or where that is not possible a line for each launch.
class JobProgress : public launch::MeasurementObserver {
  public:
    JobProgress(const store::Store& store, const MeasureOptions& options,
                LaunchCount count = LaunchCount::planned)
        : store_(store), quiet_(options.quiet), verbose_(options.verbose), count_(count) {}

    void job_begins(const launch::ResolvedJob& resolved, const launch::Part& part,
                    const std::vector<plan::PointSpec>& order) override;
    void points_revisited(std::size_t points, std::size_t of) override;
    void hosts_known(const std::vector<store::WarningRow>& fresh) override;
    void point_added(const plan::PointSpec& point) override;
    void point_begun(const plan::PointSpec& point) override;
    void point_ended(const plan::PointSpec& point, const store::PointRow& stored) override;
    void journal_damaged(const std::string& losses) override;
    void tick() override;
    void job_ended() override;

  private:
    [[nodiscard]] std::string launch_line(const launch::Part& part, int launches, std::size_t points) const;

    const store::Store& store_;
    bool quiet_;
    bool verbose_;
    LaunchCount count_;
    int launch_ = -1;
    int jobs_of_launch_ = 0;  // that have begun
    bool revisiting_ = false;
    std::optional<report::Progress> progress_;  // while a job runs
};

}  // namespace fathom::cli
