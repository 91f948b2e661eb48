#include "analysis/point_result.hpp"

#include <algorithm>

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

/// The largest duration over ranks for every repetition (first rank only for a pair); -1 where one was
/// invalid.
std::vector<std::int64_t> times_of(const store::Store& store, std::int64_t point, bool first_rank_only) {
    std::vector<std::int64_t> times;
    constexpr std::int64_t invalid = -1;
    store.visit_samples(
        point, [&](int rank, std::int64_t first_rep, const std::vector<journal::Sample>& samples) {
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

}  // namespace

PointResult evaluate(const store::Store& store, const store::PointRow& point) {
    PointResult result;
    result.position = point.position;
    result.operation = point.operation;
    result.pattern = point.pattern;
    result.procs = point.procs;
    result.size = point.size;
    result.datatype = point.datatype;
    set_status(result, point);
    const auto& operation = plan::find_operation(point.operation);
    const auto times = times_of(store, point.id, operation.family == plan::Family::pair);
    std::vector<double> valid;
    valid.reserve(times.size());
    for (const auto time : times) {
        if (time >= 0) {
            valid.push_back(static_cast<double>(time) / operation.legs());
        }
    }
    result.reps = static_cast<std::int64_t>(times.size());
    result.invalid_reps = result.reps - static_cast<std::int64_t>(valid.size());
    result.time_ns = stats::summarise(std::move(valid));
    if (result.time_ns) {
        const double rate = operation.rate_bytes_per_s(point.size, point.procs, result.time_ns->median);
        if (rate > 0) {
            result.rate_bytes_per_s = rate;
        }
        if (!result.time_ns->median_ci95) {
            result.warnings.emplace_back("too few repetitions for a 95 % interval; give --reps 6 or more");
        }
    }
    return result;
}

RunResult evaluate(const store::Store& store, const store::RunRow& run) {
    RunResult result{run, {}, store.warnings(run.id)};
    for (const auto& point : store.points(run.id)) {
        result.points.push_back(evaluate(store, point));
    }
    return result;
}

}  // namespace fathom::analysis
