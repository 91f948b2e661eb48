#include "analysis/point/launches.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "analysis/overlap/overlap_launches.hpp"
#include "stats/mean.hpp"
#include "stats/quantile.hpp"
#include "stats/student.hpp"

namespace fathom::analysis {
namespace {

/// Around the median of a few times.
stats::Interval interval_around(const std::vector<double>& times) {
    const auto interval = stats::few_values_ci95(times);
    return {.low = std::max(0.0, interval.low), .high = interval.high};
}

/// One summary of several launches.
stats::Summary together(const std::vector<const stats::Summary*>& launches) {
    const auto all = [&](double stats::Summary::*field) {
        std::vector<double> found;
        for (const auto* launch : launches) {
            found.push_back(launch->*field);
        }
        return found;
    };
    const auto medians = all(&stats::Summary::median);
    const auto minima = all(&stats::Summary::min);
    const auto maxima = all(&stats::Summary::max);
    stats::Summary time;
    for (const auto* launch : launches) {
        time.count += launch->count;
    }
    time.median = stats::median_of(medians);
    time.median_ci95 = interval_around(medians);
    time.mean = stats::mean(all(&stats::Summary::mean));
    time.p99 = stats::median_of(all(&stats::Summary::p99));
    time.min = *std::min_element(minima.begin(), minima.end());
    time.max = *std::max_element(maxima.begin(), maxima.end());
    return time;
}

/// Each rank's part over all launches that have it.
std::vector<RankResult> ranks_together(const std::vector<const PointResult*>& measured) {
    std::map<int, std::pair<std::vector<const stats::Summary*>, std::vector<double>>> by_rank;
    for (const auto* launch : measured) {
        for (const auto& rank : launch->by_rank) {
            by_rank[rank.rank].first.push_back(&rank.time_ns);
            by_rank[rank.rank].second.push_back(rank.value_ns.value);
        }
    }
    std::vector<RankResult> found;
    for (const auto& [rank, parts] : by_rank) {
        const auto& [times, values] = parts;
        const double value = stats::median_of(values);
        found.push_back({.rank = rank,
                         .time_ns = together(times),
                         .value_ns = {.value = value, .ci95 = interval_around(values)}});
    }
    return found;
}

/// One-way analysis of variance with random effects.
Launches variances(const std::vector<const PointResult*>& measured, std::vector<double> values) {
    double squares = 0;
    double freedom = 0;
    double inverse_counts = 0;
    std::vector<double> means;
    for (const auto* launch : measured) {
        const auto count = static_cast<double>(launch->time_ns->count);
        squares += launch->time_ns->variance * (count - 1);
        freedom += count - 1;
        inverse_counts += 1 / count;
        means.push_back(launch->time_ns->mean);
    }
    const double within = freedom > 0 ? squares / freedom : 0;
    const double explained = within * inverse_counts / static_cast<double>(measured.size());
    return {.values_ns = std::move(values),
            .variance_between_ns2 = std::max(0.0, stats::variance(means) - explained),
            .variance_within_ns2 = within};
}

/// Times, values and warnings of all launches; the rest is from the first that has a result.
PointResult times_together(const std::vector<PointResult>& launches) {
    std::vector<const PointResult*> measured;
    std::vector<double> values;
    for (const auto& launch : launches) {
        if (launch.status == PointStatus::ok && launch.time_ns && launch.value_ns) {
            measured.push_back(&launch);
            values.push_back(launch.value_ns->value);
        }
    }
    if (measured.empty()) {
        return launches.front();
    }
    auto result = *measured.front();
    if (measured.size() < launches.size()) {
        const auto missing = std::find_if(launches.begin(), launches.end(), [](const auto& launch) {
            return launch.status != PointStatus::ok;
        });
        result.warnings.push_back(
            {PointWarningKind::limit,
             fmt::format("{} of {} launches gave no result: {}", launches.size() - measured.size(),
                         launches.size(),
                         missing == launches.end() ? "no valid repetition" : missing->reason)});
    }
    if (measured.size() < 2) {
        return result;
    }
    std::vector<const stats::Summary*> times;
    for (const auto* launch : measured) {
        times.push_back(&*launch->time_ns);
    }
    auto time = together(times);
    const double value = stats::median_of(values);
    result.value_ns = stats::Reduced{.value = value, .ci95 = interval_around(values)};
    result.launches = variances(measured, values);
    std::vector<double> skews;
    result.reps = 0;
    result.invalid_reps = 0;
    for (const auto* launch : measured) {
        result.reps += launch->reps;
        result.invalid_reps += launch->invalid_reps;
        result.empty_ns = std::max(result.empty_ns, launch->empty_ns);
        result.step_ns = std::max(result.step_ns, launch->step_ns);
        if (launch->start_skew_median_ns) {
            skews.push_back(*launch->start_skew_median_ns);
        }
        if (launch->clock_bound_ns) {
            result.clock_bound_ns = std::max(result.clock_bound_ns.value_or(0), *launch->clock_bound_ns);
        }
        for (const auto& warning : launch->warnings) {
            if (std::find(result.warnings.begin(), result.warnings.end(), warning) == result.warnings.end()) {
                result.warnings.push_back(warning);
            }
        }
    }
    time.variance = result.launches->variance_between_ns2 + result.launches->variance_within_ns2;
    if (!skews.empty()) {
        result.start_skew_median_ns = stats::median_of(skews);
    }
    result.time_ns = time;
    result.by_rank = ranks_together(measured);
    if (result.rate_bytes_per_s && value > 0) {
        // Rates are inverse to times: that of the median is the median of rates.
        result.rate_bytes_per_s = *result.rate_bytes_per_s * measured.front()->value_ns->value / value;
    }
    return result;
}

}  // namespace

PointResult together(const std::vector<PointResult>& launches) {
    auto result = times_together(launches);
    std::vector<OverlapResult> studies;
    for (const auto& launch : launches) {
        if (launch.overlap) {
            studies.push_back(*launch.overlap);
        }
    }
    if (!studies.empty()) {
        result.overlap = together(studies);
        result.measures = overlap_measures(*result.overlap);
    }
    return result;
}

}  // namespace fathom::analysis
