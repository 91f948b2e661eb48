#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "analysis/across_runs/measured_run.hpp"
#include "analysis/point/launches.hpp"
#include "stats/random.hpp"
#include "stats/stopping/stop_rule.hpp"

namespace fathom::testing {

/// How the times of a synthetic point are generated: a log-normal body whose logarithm follows the one before
/// it (autoregressive), and a share of slow ones.
struct TimesModel {
    double median_ns = 1'000;
    double spread = 0.1;       ///< deviation of the logarithm
    double correlation = 0.3;  ///< from one time to the next
    double slow_share = 0.02;  ///< that take three times as long
};

/// A run of times by the model.
class SyntheticTimes {
  public:
    SyntheticTimes(const TimesModel& model, stats::Random& random)
        : model_(model), dice_(random), state_(random.normal()) {}

    double next() {
        const double fresh = std::sqrt(1 - model_.correlation * model_.correlation);
        state_ = model_.correlation * state_ + fresh * dice_.normal();
        const double slow = dice_.uniform() < model_.slow_share ? 3 : 1;
        return model_.median_ns * std::exp(model_.spread * state_) * slow;
    }

    std::vector<double> take(std::size_t count) {
        std::vector<double> times;
        for (std::size_t i = 0; i < count; ++i) {
            times.push_back(next());
        }
        return times;
    }

    /// As many as the default rule requires: at least 50, until the interval of the median is 2 % wide.
    std::vector<double> take_by_rule(std::size_t least = 50, std::size_t most = 2'000) {
        const auto rule = stats::median_ci_rule(0.02);
        std::vector<double> times;
        while (times.size() < least || (!rule->reached() && times.size() < most)) {
            const auto more = take(times.empty() ? least : 25 + times.size() / 2);
            rule->add(more);
            times.insert(times.end(), more.begin(), more.end());
        }
        return times;
    }

  private:
    const TimesModel& model_;
    stats::Random& dice_;
    double state_;
};

inline analysis::PointKey key_at(std::int64_t size, const std::string& operation = "bcast", int procs = 4) {
    return {.operation = operation,
            .pattern = "all",
            .procs = procs,
            .size = {size},
            .scheme = "",
            .progress = ""};
}

/// The times of the undisturbed repetitions of each launch.
using Launches = std::vector<std::vector<double>>;

/// Adds a point with what counts of each launch; of one in which all was disturbed, everything does.
inline void add_launches(analysis::MeasuredRun& run, const analysis::PointKey& key,
                         std::vector<analysis::LaunchTimes> launches) {
    std::vector<analysis::LaunchResult> results;
    for (auto& launch : launches) {
        const auto& times = launch.times;
        analysis::PointResult point;
        point.position = static_cast<int>(run.result.points.size());
        point.key = key;
        point.status = journal::PointStatus::ok;
        point.over_reps = "median";
        point.time_ns = stats::summarise(times);
        point.value_ns = stats::Reduction::parse("median").reduce(times);
        point.reps = static_cast<std::int64_t>(times.size());
        point.sound = launch.disturbed != times.size() || times.empty();
        point.set_aside = point.sound ? static_cast<std::int64_t>(launch.disturbed) : 0;
        if (launch.disturbed > 0) {
            point.warnings.push_back({analysis::Disturbed{}});
        }
        results.push_back({.result = std::move(point), .counted = std::move(launch)});
    }
    auto whole = analysis::whole_point(std::move(results));
    run.result.points.push_back(std::move(whole.result));
    run.times[key] = std::move(whole.counted);
}

/// Adds a point with these times in each launch, besides which so many repetitions were disturbed; a launch
/// with as many as it has times is not sound.
inline void add_point(analysis::MeasuredRun& run, const analysis::PointKey& key, const Launches& launches,
                      std::size_t disturbed_each = 0) {
    std::vector<analysis::LaunchTimes> all;
    for (const auto& times : launches) {
        all.push_back({.times = times,
                       .disturbed = disturbed_each,
                       .sound = disturbed_each == 0 || disturbed_each != times.size()});
    }
    if (all.empty()) {
        all.emplace_back();  // one without a time
    }
    add_launches(run, key, std::move(all));
}

inline analysis::MeasuredRun run_called(const std::string& name) {
    analysis::MeasuredRun run;
    run.name = name;
    run.result.run.mpi_flavour = "openmpi";
    run.result.run.mpi_version = "Open MPI 4.1.4";
    run.result.run.procs = 4;
    run.hosts = {{"h1", 4}};
    return run;
}

}  // namespace fathom::testing
