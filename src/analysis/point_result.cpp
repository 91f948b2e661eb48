#include "analysis/point_result.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "plan/operations.hpp"

namespace fathom::analysis {
namespace {

/// The contract knows three statuses; the store also knows why a point has not been measured.
void set_status(PointResult& result, const store::PointRow& point) {
    result.status = point.status;
    result.reason = point.reason;
    if (point.status == "died") {
        result.status = "failed";
    } else if (point.status == "pending") {
        result.status = point.reason.empty() ? "unavailable" : "failed";
        if (point.reason.empty()) {
            result.reason = "not measured yet";
        }
    }
}

/// What the global clock says of a point: how far apart the ranks started, and how sure that is.
class Starts {
  public:
    explicit Starts(const GlobalTime& clock) : clock_(clock) {}

    void add(int rank, std::int64_t first_rep, const std::vector<journal::Sample>& samples) {
        if (samples.empty()) {
            return;
        }
        const auto need = static_cast<std::size_t>(first_rep) + samples.size();
        if (ends_.size() < need) {
            ends_.resize(need, {INT64_MAX, INT64_MIN});
        }
        for (std::size_t i = 0; i < samples.size(); ++i) {
            if (!samples[i].valid) {
                continue;
            }
            auto& [first, last] = ends_[static_cast<std::size_t>(first_rep) + i];
            const auto start = clock_.global(rank, samples[i].start).count;
            first = std::min(first, start);
            last = std::max(last, start);
        }
        auto& span = spans_.try_emplace(rank, samples.front().start, samples.back().start).first->second;
        span.second = samples.back().start;
    }

    void put_into(PointResult& result) const {
        std::vector<double> skews;
        skews.reserve(ends_.size());
        for (const auto& [first, last] : ends_) {
            if (first <= last) {
                skews.push_back(static_cast<double>(last - first));
            }
        }
        if (const auto summary = stats::summarise(std::move(skews))) {
            result.start_skew_median_ns = summary->median;
        }
        for (const auto& [rank, span] : spans_) {
            const auto bound = static_cast<double>(clock_.largest_bound(rank, span.first, span.second).count);
            result.clock_bound_ns = std::max(result.clock_bound_ns.value_or(0), bound);
            warn_of_breaks(rank, span.first, span.second, result);
        }
    }

  private:
    void warn_of_breaks(int rank, Nanoseconds begin, Nanoseconds end, PointResult& result) const {
        const auto timeline = clock_.ranks().find(rank);
        if (timeline == clock_.ranks().end()) {
            return;
        }
        for (const auto& place : timeline->second.breaks()) {
            if (place.from <= end && place.to >= begin) {
                result.warnings.push_back(fmt::format(
                    "the drift of rank {}'s clock changed from {:+.2f} to {:+.2f} ppm meanwhile; its "
                    "start times are unsure by {} more",
                    rank, 0 - place.before_ppm, 0 - place.after_ppm,
                    time_text(static_cast<double>(place.uncertainty.count))));
            }
        }
    }

    const GlobalTime& clock_;
    std::vector<std::pair<std::int64_t, std::int64_t>>
        ends_;  // first and last start of every valid repetition
    std::map<int, std::pair<Nanoseconds, Nanoseconds>>
        spans_;  // first and last start on each rank's own clock
};

/// The largest duration over ranks for every repetition (first rank only for a pair); -1 where one was
/// invalid.
std::vector<std::int64_t> times_of(const store::Store& store, std::int64_t point, bool first_rank_only,
                                   Starts* starts) {
    std::vector<std::int64_t> times;
    constexpr std::int64_t invalid = -1;
    store.visit_samples(
        point, [&](int rank, std::int64_t first_rep, const std::vector<journal::Sample>& samples) {
            if (starts != nullptr) {
                starts->add(rank, first_rep, samples);
            }
            if (first_rank_only && rank != 0) {
                return;
            }
            times.resize(std::max(times.size(), static_cast<std::size_t>(first_rep) + samples.size()), 0);
            for (std::size_t i = 0; i < samples.size(); ++i) {
                auto& time = times[static_cast<std::size_t>(first_rep) + i];
                if (!samples[i].valid) {
                    time = invalid;
                } else if (time != invalid) {
                    time = std::max(time, samples[i].duration.count);
                }
            }
        });
    return times;
}

std::optional<ClockSummary> summary_of(std::vector<journal::ClockSync> syncs) {
    std::erase_if(syncs, [](const auto& sync) { return sync.test; });
    if (syncs.empty()) {
        return std::nullopt;
    }
    ClockSummary summary{.scheme = syncs.front().scheme,
                         .synchronisations = syncs.back().sync + 1,
                         .shared = syncs.front().shared};
    const auto study = study_sync(syncs, static_cast<std::size_t>(summary.synchronisations), {});
    for (const auto& repeat : study.repeats) {
        for (const auto& rank : repeat.ranks) {
            summary.shared = summary.shared && rank.shared;
            summary.bound_ns = std::max(summary.bound_ns, rank.bound_ns);
        }
    }
    for (const auto& rank : study.ranks) {
        summary.steady = summary.steady && rank.steady;
        if (std::abs(rank.drift_ppm) > std::abs(summary.drift_ppm)) {
            summary.drift_ppm = rank.drift_ppm;
        }
    }
    return summary;
}

PointResult evaluate_on(const store::Store& store, const store::PointRow& point, const GlobalTime& clock) {
    PointResult result;
    result.position = point.position;
    result.operation = point.operation;
    result.pattern = point.pattern;
    result.procs = point.procs;
    result.size = point.size;
    result.datatype = point.datatype;
    set_status(result, point);
    const auto& operation = plan::find_operation(point.operation);
    Starts starts(clock);
    const auto times =
        times_of(store, point.id, operation.family == plan::Family::pair, clock.known() ? &starts : nullptr);
    std::vector<double> valid;
    valid.reserve(times.size());
    for (const auto time : times) {
        if (time >= 0) {
            valid.push_back(static_cast<double>(time) / operation.legs());
        }
    }
    result.start = point.start;
    result.warmup_calls = point.warmup_calls;
    result.reps = static_cast<std::int64_t>(valid.size());
    result.invalid_reps = static_cast<std::int64_t>(times.size() - valid.size());
    result.time_ns = stats::summarise(std::move(valid));
    if (clock.known()) {
        starts.put_into(result);
    }
    if (!point.remark.empty()) {
        result.warnings.push_back(point.remark);
    }
    if (result.time_ns) {
        const double rate = operation.rate_bytes_per_s(point.size, point.procs, result.time_ns->median);
        if (rate > 0) {
            result.rate_bytes_per_s = rate;
        }
        if (!result.time_ns->median_ci95) {
            result.warnings.emplace_back("too few repetitions for a 95 % interval; give --reps 6 or more");
        }
        const bool collective = operation.family != plan::Family::pair;
        constexpr double tolerable_share = 0.1;
        if (collective &&
            result.start_skew_median_ns.value_or(0) > tolerable_share * result.time_ns->median) {
            result.warnings.push_back(
                fmt::format("processes started {} apart (median), more than a tenth of the time itself",
                            time_text(*result.start_skew_median_ns)));
        }
    }
    return result;
}

}  // namespace

GlobalTime global_time_of(const store::Store& store, const store::PointRow& point) {
    if (!point.job) {
        return GlobalTime({});
    }
    return GlobalTime(store.clock_syncs(*point.job), point.procs == 1 || store.simulated(*point.job));
}

PointResult evaluate(const store::Store& store, const store::PointRow& point) {
    return evaluate_on(store, point, global_time_of(store, point));
}

PointResult evaluate_times(const store::Store& store, const store::PointRow& point) {
    return evaluate_on(store, point, GlobalTime({}));
}

RunResult evaluate(const store::Store& store, const store::RunRow& run) {
    RunResult result{
        .run = run, .points = {}, .warnings = store.warnings(run.id), .clock = {}, .clock_check = {}};
    std::map<std::optional<std::int64_t>, GlobalTime> clocks;
    for (const auto& point : store.points(run.id)) {
        auto clock = clocks.find(point.job);
        if (clock == clocks.end()) {
            clock = clocks.emplace(point.job, global_time_of(store, point)).first;
        }
        result.points.push_back(evaluate_on(store, point, clock->second));
    }
    if (const auto job = store.last_job(run.id)) {
        const auto syncs = store.clock_syncs(job->id);
        result.clock = summary_of(syncs);
        result.clock_check = study_check(store.clock_events(job->id), syncs);
    }
    return result;
}

}  // namespace fathom::analysis
