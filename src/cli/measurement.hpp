#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "cli/measure.hpp"
#include "cli/open_work.hpp"
#include "launch/job.hpp"
#include "launch/supervisor.hpp"
#include "store/store.hpp"

namespace fathom::cli {

/// The jobs that a stored run takes, one after the other.
class Measurement {
  public:
    Measurement(store::Store& store, launch::Ground ground, std::int64_t run, const MeasureOptions& options)
        : store_(store), ground_(std::move(ground)), run_(run), options_(options) {}

    /// Measures what is left of the run, one start of the job after the other, until one does not come to its
    /// end.
    launch::Outcome measure();

    /// Takes over what an earlier job left in its journal when its supervisor was killed.
    void recover(const store::JobRow& job);

    [[nodiscard]] const plan::Plan& plan() const { return ground_.plan; }

  private:
    [[nodiscard]] std::int64_t starts() const { return ground_.plan.runs.value_or(1); }
    void prepare_trial(int trial);
    launch::Outcome measure(const Part& part);
    launch::Outcome start(const Part& part, const std::vector<plan::PointSpec>& order);
    [[nodiscard]] std::vector<plan::KnownPoint> known(const Part& part) const;
    launch::Outcome watch(const launch::Command& command, const Part& part, std::int64_t job,
                          const std::filesystem::path& journal, const std::vector<plan::PointSpec>& order);
    void remember_remark(const launch::Outcome& outcome);
    void mark(const launch::Outcome& outcome);

    store::Store& store_;
    launch::Ground ground_;
    std::int64_t run_;
    const MeasureOptions& options_;
};

/// Findings of the doctor on every host of the job, into the store; the serious ones as lines too.
void diagnose_hosts(store::Store& store, std::int64_t run,
                    const std::function<void(const std::string&)>& say);

}  // namespace fathom::cli
